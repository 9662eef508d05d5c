"""Questions that a framework can be asked and a function of numbers cannot: a value against a reference, what is saved
for backward, batches of gradients."""
import math
import os
import pickle
import random
import sys

EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-7, "float16": 2.0**-10, "float8_e4m3fn": 2.0**-3, "float8_e5m2": 2.0**-2}
SMALLEST = {"float64": 2.0**-1022, "float32": 2.0**-126, "bfloat16": 2.0**-126, "float16": 2.0**-14, "float8_e4m3fn": 2.0**-9,
            "float8_e5m2": 2.0**-16}
LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}  # beyond, kernels saturate or give infinity or NaN
ROUNDINGS = 16  # that a kernel may make beside those of the reference; of 8 bits it makes one, and so did what it was handed


def roundings(dtype):
    return 1 if dtype in LARGEST else ROUNDINGS


def findings(subject, tensors, asked=None):
    """[{"check", "verdict", "detail"}], of what is wrong; `asked`: of these checks alone."""
    questions = [("value", value_fault), ("gradient", gradient_fault)] if subject.reference else []
    questions += [("state", state_fault), *subject.questions()]
    found = []
    for check, question in questions:
        detail = (asked is None or check in asked) and question(subject, tensors)
        if detail:
            found.append({"check": check, "verdict": "FAIL", "detail": detail})
    return found


def generators():
    """Of random numbers, those that all share: name -> how to get and to set the state; of what the user has imported."""
    numpy, torch = sys.modules.get("numpy.random"), sys.modules.get("torch")
    made = {"Python's random numbers": (random.getstate, random.setstate)}
    if numpy:
        made["NumPy's random numbers"] = lambda: pickle.dumps(numpy.get_state()), lambda state: numpy.set_state(pickle.loads(state))
    if torch:
        made["torch's random numbers"] = (lambda: bytes(torch.random.get_rng_state().tolist()),
                                          lambda state: torch.random.set_rng_state(torch.tensor(list(state), dtype=torch.uint8)))
    return made


def state():
    """What a call should leave as it was, by what it is called."""
    made = {name: get() for name, (get, _) in generators().items()}
    made["the working directory"] = os.getcwd()
    if torch := sys.modules.get("torch"):
        made.update({"torch's default dtype": torch.get_default_dtype(), "torch's number of threads": torch.get_num_threads(),
                     "whether torch records": torch.is_grad_enabled(),
                     "torch's deterministic algorithms": torch.are_deterministic_algorithms_enabled()})
    return made


def state_fault(subject, tensors):
    """What calls have changed. They may draw random numbers, but not set from where."""
    now, random_numbers = state(), generators()
    for name in [name for name, value in subject.before.items() if now[name] != value]:
        if name not in random_numbers:
            return f"a call changes {name}, for everybody: {subject.before[name]} is {now[name]}"[:200]
        get, put = random_numbers[name]
        put(subject.before[name])
        subject.values(subject.leaves)
        subject.gradients(subject.leaves)
        is_set = get() == now[name]  # the same again, from another beginning
        put(now[name])
        if is_set:
            return f"a call sets {name}, for everybody: a generator of its own would not"
    return ""


def wanted_dtype(subject):
    return subject.narrow or next(subject.dtype_of(leaf) for leaf, is_wanted in zip(subject.leaves, subject.wanted) if is_wanted)


def value_fault(subject, tensors):
    """The value in the kernel's type against the reference's in float64. What the reference itself loses in that type is
    allowed, and a few roundings."""
    dtype = wanted_dtype(subject)
    if dtype == "float64":
        return ""
    got = subject.values(subject.leaves)
    exact = subject.values([subject.cast(leaf, "float64") for leaf in subject.leaves])
    try:
        low = subject.values(subject.leaves, reference=True)
    except Exception:  # it takes float64 alone
        low = exact
    return fault_of(dtype, "output", got, exact, low, by_largest=False)


def gradient_fault(subject, tensors):
    """The gradient for an incoming gradient of one sign, against the reference's in float64. Directions of both signs
    cancel in a sum of many terms, and hide that it was made in too few bits."""
    dtype = wanted_dtype(subject)
    if dtype == "float64":
        return ""
    got = subject.gradients(subject.leaves)
    exact = subject.gradients([subject.cast(leaf, "float64") for leaf in subject.leaves])
    if got is None or exact is None:
        return ""
    try:
        low = subject.gradients(subject.leaves, reference=True) or exact
    except Exception:  # it takes float64 alone
        low = exact
    # Terms of both signs inside of a gradient round as its large entries do.
    return fault_of(dtype, "for an incoming gradient of ones the gradient of argument", got, exact, low, by_largest=True)


def fault_of(dtype, what, got, exact, low, by_largest):
    for k, (ys, references, rounded) in enumerate(zip(got, exact, low)):
        if len(ys) != len(references):
            return f"{what} {k} has {len(ys)} entries, the reference's {len(references)}"
        lost = max([abs(a - b) for a, b in zip(references, rounded) if math.isfinite(a) and math.isfinite(b)],
                   default=0.0)
        largest = max([abs(one) for one in references if math.isfinite(one)], default=0.0)
        if by_largest and largest <= roundings(dtype) * EPSILON[dtype]:
            largest = 1.0  # all terms cancel, as those of softmax for ones: what is left are roundings of these ones
        for i, (y, reference) in enumerate(zip(ys, references)):
            if y == reference or (math.isnan(y) and math.isnan(reference)):
                continue
            radius = roundings(dtype) * EPSILON[dtype] * (largest if by_largest else abs(reference)) + 4 * lost + SMALLEST[dtype]
            if abs(reference) + radius >= LARGEST.get(dtype, math.inf) and not (abs(y) < LARGEST[dtype] - radius or y * reference < 0):
                continue
            if not abs(y - reference) <= radius:
                return (f"{what} {k}, entry {i}: expected {reference!r}, got {y!r} (accepted: off by {radius:.3g}, "
                        f"{roundings(dtype)} roundings of {dtype} and what the reference loses in that type)")
    return ""


def first_apart(expected, got, relative=1e-6):
    """(argument, entry, expected, got) of the first numbers that differ; None if there are none."""
    for k, (xs, ys) in enumerate(zip(expected, got)):
        largest = max([abs(x) for x in xs if math.isfinite(x)], default=0.0)
        for i, (x, y) in enumerate(zip(xs, ys)):
            if not (x == y or abs(x - y) <= relative * largest or (math.isnan(x) and math.isnan(y))):
                return k, i, x, y
    return None


def batch_fault(batch, alone, dtype):
    """What is wrong with gradients in a batch (vmap): `batch` has them, `alone(factor, number)` those that come one after the
    other with the inputs multiplied. Where all terms cancel, roundings are left, and a rounding of the inputs changes these as much."""
    for number, got in enumerate(batch):
        expected = alone(1.0, number)
        apart = first_apart(expected, got, {"float64": 1e-9, "float32": 1e-4}.get(dtype, 0.1))
        if apart:
            k, i, x, y = apart
            near = [alone(1 + step * EPSILON[dtype], number)[k] for step in (-16, -9, -5, -2, 3, 6, 10, 16)]
            if not abs(x - y) <= 8 * max(abs(a - b) for one in near for a, b in zip(one, expected[k])):
                return f"in a batch of gradients (vmap) number {number} gives {y!r} for argument {k}, entry {i}, and alone {x!r}"
    return ""
