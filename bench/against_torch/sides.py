"""The two sides of a comparison: our program, and torch's operators called with the same arguments.

A call answers with an Outcome: results, gradients and gradients of the second order as lists of
tensors (None for what has none), or the phase and the message of an error.
"""
import dataclasses
import subprocess

import torch

DTYPES = {str(dtype).removeprefix("torch."): dtype for dtype in (
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
    torch.bfloat16, torch.float32, torch.float64)}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

# Where torch's operator has another name than ours, which is that of its C++ function.
ATEN_NAMES = {"cross_entropy": "cross_entropy_loss", "nll_loss": "nll_loss_nd"}
def without_slices(places):
    """aten's None is Python's colon."""
    return [None if isinstance(one, slice) else one for one in places]


FUNCTIONS = {
    "interpolate": lambda x, size, factor, mode, corners, recompute: torch.nn.functional.interpolate(
        x, size, factor, mode, corners, recompute or None),
    "cholesky": lambda x, upper: torch.linalg.cholesky(x, upper=upper),
    "index": lambda x, places: x[tuple(places)],
    "index_put": lambda x, places, *rest: torch.ops.aten.index_put(x, without_slices(places), *rest),
    "index_put_": lambda x, places, *rest: torch.ops.aten.index_put_(x, without_slices(places), *rest),
    "one_hot": torch.nn.functional.one_hot,
}


@dataclasses.dataclass
class Outcome:
    results: list = dataclasses.field(default_factory=list)
    gradients: list = None
    second: list = None
    shared: list = None  # which results show memory of the first argument
    phase: str = ""  # of an error
    error: str = ""


def leaves_of(arguments):
    for one in arguments:
        if isinstance(one, (list, tuple)):
            yield from leaves_of(one)
        elif isinstance(one, torch.Tensor) and one.requires_grad:
            yield one


def weights(like, first, modulus):
    """What main.cpp gives to a backward, too."""
    places = torch.arange(like.numel(), dtype=torch.int64)
    return ((first + places * 7 % modulus).double() / 8).to(like.dtype).view(like.shape)


# ---- Ours


def words_of(value):
    if value is None:
        return ["N"]
    if isinstance(value, torch.Tensor):
        entries = value.detach().flatten()
        if value.dtype.is_floating_point:
            text = [one.hex() for one in entries.double().tolist()]
        else:
            text = [str(int(one)) for one in entries.tolist()]
        return ["T", NAMES[value.dtype], str(int(value.requires_grad)), str(value.dim()),
                *map(str, value.shape), *text]
    if isinstance(value, bool):
        return ["b", str(int(value))]
    if isinstance(value, int):
        return ["i", str(value)]
    if isinstance(value, float):
        return ["f", value.hex()]
    if isinstance(value, str):
        return ["s" + value]
    if isinstance(value, torch.dtype):
        return ["d", NAMES[value]]
    if isinstance(value, slice):
        return ["slice", *words_of(value.start), *words_of(value.stop), *words_of(value.step)]
    if value is Ellipsis:
        return ["..."]
    if all(type(one) is int for one in value):
        return ["I", str(len(value)), *map(str, value)]
    return ["L", str(len(value)), *(word for one in value for word in words_of(one))]


class Ours:
    def __init__(self, program):
        self.program = program
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def restart(self):
        self.process.kill()
        self.process.communicate()
        self.start()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:  # it is gone
            code = self.process.wait()
            self.start()
            return f"error crash crash exit status {code}"
        return answer.strip()

    def names(self):
        return self.ask("list").split()

    def rows(self):
        return self.ask("rows").split()

    def call(self, name, arguments, order):
        words = [word for one in arguments for word in words_of(one)]
        answer = self.ask(f"call {name} {order} {len(arguments)} " + " ".join(words)).split()
        if answer[0] == "error":
            return Outcome(phase=answer[1], error=" ".join(answer[2:]))
        words = iter(answer[1:])
        outcome = Outcome(shared=[])
        outcome.results = self.read_list(words, outcome.shared)
        outcome.gradients = self.read_list(words)
        outcome.second = self.read_list(words)
        return outcome

    def read_list(self, words, shared=None):
        count = next(words, None)
        return None if count is None else [self.read(words, shared) for _ in range(int(count))]

    def read(self, words, shared):
        kind = next(words)
        if kind == "N":
            return None
        is_shared = next(words) == "1"
        if shared is not None:
            shared.append(is_shared)
        sizes = [int(next(words)) for _ in range(int(next(words)))]
        count = 1
        for size in sizes:
            count *= size
        entries = [next(words) for _ in range(count)]
        dtype = DTYPES[kind]
        numbers = [float.fromhex(one) for one in entries] if dtype.is_floating_point else \
            [int(one) for one in entries]
        return torch.tensor(numbers, dtype=torch.float64 if dtype.is_floating_point else torch.int64
                            ).to(dtype).view(sizes)


# ---- Torch's


def fits(value, kind, count):
    """Whether a value is one for a parameter of this type of a schema."""
    if kind.startswith("Optional["):
        return value is None or fits(value, kind[9:-1], count)
    if kind.startswith("List["):
        item = kind[5:-1]
        if count and not isinstance(value, (list, tuple)):
            return fits(value, item, None)
        return isinstance(value, (list, tuple)) and all(fits(one, item, None) for one in value)
    if kind == "Tensor":
        return isinstance(value, torch.Tensor)
    if kind in ("number", "Scalar"):
        return isinstance(value, (int, float))
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "float":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "bool":
        return isinstance(value, bool)
    return kind == "str" and isinstance(value, str)


def bound(schema, arguments, outs=()):
    """(positional, by name) for a call, None if the arguments are not what the schema takes."""
    parameters = [one for one in schema.arguments if not one.is_out]
    names = [one.name for one in schema.arguments if one.is_out]
    if len(arguments) > len(parameters) or len(names) != len(outs):
        return None
    if any(not one.has_default_value() for one in parameters[len(arguments):]):
        return None
    positional, named = [], dict(zip(names, outs))
    for parameter, value in zip(parameters, arguments):
        if isinstance(value, torch.dtype) != ("dtype" in parameter.name and value is not None):
            return None
        if not isinstance(value, torch.dtype) and not fits(value, str(parameter.type), parameter.N):
            return None
        if parameter.N and isinstance(value, int) and not isinstance(value, bool):
            value = [value] * parameter.N
        if parameter.kwarg_only:
            named[parameter.name] = value
        else:
            positional.append(value)
    return positional, named


def function_for(name, arguments, outs=()):
    """torch's overload for the arguments, None if it has none."""
    if name in FUNCTIONS:
        return None if outs else lambda: FUNCTIONS[name](*arguments)
    packet = getattr(torch.ops.aten, ATEN_NAMES.get(name, name), None)
    if packet is None:
        return None
    for overload in packet.overloads():
        chosen = getattr(packet, overload)
        call = bound(chosen._schema, arguments, outs)
        if call is not None:
            return lambda: chosen(*call[0], **call[1])
    return None


def gradients(of, leaves, modulus, create_graph):
    """Of those that require gradients, each weighted by its place; None if none does."""
    roots = [(one, weights(one, i + 3, modulus)) for i, one in enumerate(of)
             if one is not None and one.requires_grad]
    if not roots:
        return None
    outputs, given = zip(*roots)
    return list(torch.autograd.grad(outputs, leaves, given, create_graph=create_graph,
                                    allow_unused=True))


def shares(tensor, first):
    return isinstance(first, torch.Tensor) and first.numel() > 0 and \
        tensor.untyped_storage().data_ptr() == first.untyped_storage().data_ptr()


def call_torch(name, arguments, order, outs=()):
    """None if torch has no operator of this name that takes such arguments and outs."""
    leaves, self = list(leaves_of(arguments)), arguments[0] if arguments else None
    if name.endswith("_") and isinstance(self, torch.Tensor):
        arguments = [self.clone(), *arguments[1:]]
    outcome = Outcome(phase="forward")
    try:
        function = function_for(name, arguments, outs)
        if function is None:
            return None
        results = function()
        if isinstance(results, bool):
            results = torch.tensor(results)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        outcome.results = [one.detach().clone() for one in results]
        outcome.shared = [shares(one, self) for one in results]
        outcome.phase = "first"
        first = gradients(results, leaves, 11, order > 1) if order > 0 else None
        if first is not None:
            outcome.gradients = [one if one is None else one.detach() for one in first]
            outcome.phase = "second"
            outcome.second = gradients(first, leaves, 13, False) if order > 1 else None
        outcome.phase = ""
    except Exception as error:  # of any kind: that there is one is what is compared
        outcome.error = f"{type(error).__name__} {str(error).splitlines()[0] if str(error) else ''}"
    return outcome
