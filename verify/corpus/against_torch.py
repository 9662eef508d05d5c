#!/usr/bin/env python3
"""torch.autograd.gradcheck on functions and mistakes of the corpus: false alarms, misses, time.

  against_torch.py [--seeds N] [--seed S] [NAME...]

Each function is written once more with torch.autograd.Function, with the corpus's names, input ranges
and mistakes; gradcheck and, where the function has a second order, gradgradcheck are called with their
defaults (eps 1e-6, atol 1e-5, rtol 1e-3). How wrong a mistake is comes from its gradient beside the right
one. Prints one JSON object; exit code 3 where PyTorch is not installed.
"""
import argparse
import fnmatch
import json
import math
import sys
import time
import warnings

try:
    import torch
except ImportError:
    sys.exit(3)

NO_DISTANCE = 1e-12
R = math.sqrt(2 / math.pi)


class Ruled(torch.autograd.Function):
    """y = forward(x...), and a backward that may slip."""

    @staticmethod
    def forward(ctx, entry, slip, *x):
        ctx.entry, ctx.slip = entry, slip
        ctx.save_for_backward(*x)
        return entry["forward"](*x)

    @staticmethod
    def backward(ctx, given):
        x = ctx.saved_tensors
        gradients = ctx.entry["backward"](given, lambda name: ctx.slip == name, *x)
        return (None, None) + tuple(g if one.is_floating_point() and ctx.needs_input_grad[i + 2] else None
                                    for i, (one, g) in enumerate(zip(x, gradients)))


def general(name, forward, backward, inputs, slips, order=2):
    return dict(name=name, forward=forward, backward=backward, inputs=inputs, slips=slips, order=order)


def elementwise(name, forward, slopes, inputs, slips, order=2):
    """slopes(slip, x...) gives one slope per input."""

    def backward(given, slip, *x):
        found = slopes(slip, *x)
        return [torch.zeros_like(a) if s is None else (given * s).sum_to_size(a.shape)
                for a, s in zip(x, list(found) + [None] * (len(x) - len(found)))]

    return general(name, forward, backward, inputs, slips, order)


def uniform(low, high, *sizes):
    def draw(random):
        return [(low + (high - low) * torch.rand(size, generator=random, dtype=torch.float64)).requires_grad_()
                for size in sizes]

    return draw


def bits(low, high):
    def draw(random):
        target = torch.randint(0, 2, (2, 4), generator=random).double()
        return uniform(low, high, (2, 4))(random) + [target]

    return draw


def magnitudes(low, high, *sizes):
    def draw(random):
        found = uniform(math.log2(low), math.log2(high), *sizes)(random)
        return [torch.exp2(x.detach()).requires_grad_() for x in found]

    return draw


def seen(x, slip):
    return x.detach() if slip("detached") else x


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(R * (x + 0.044715 * x ** 3)))


def gelu_tanh_slopes(slip, x):
    x = seen(x, slip)
    cubic = 0.044714 if slip("constant") else 0.044715
    t = torch.tanh(R * (x + cubic * x ** 3))
    slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * R * (1 + (1 if slip("chain") else 3) * cubic * x * x)
    if slip("far"):
        return [torch.where(x > 3, torch.ones_like(x), slope)]
    return [0.5 * (1 + t) if slip("term") else slope]


def gelu_erf_slopes(slip, x):
    x = seen(x, slip)
    below = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
    peak = torch.exp(-0.5 * x * x) * (0.3989422 if slip("constant") else 1 / math.sqrt(2 * math.pi))
    return [below - x * peak if slip("sign") else below if slip("term") else below + x * peak]


def silu_slopes(slip, x):
    x = seen(x, slip)
    s = torch.sigmoid(x)
    if slip("far"):
        return [torch.where(x > 10, torch.ones_like(x), s * (1 + x * (1 - s)))]
    return [s * (1 - x * (1 - s)) if slip("sign") else s if slip("term") else s * (1 + x * (1 - s))]


def swiglu_slopes(slip, a, b):
    s = torch.sigmoid(a)
    of_gate, gate = (s + a * s * (1 - s)) * b, a * s
    if slip("swapped"):
        return [gate, of_gate]
    if slip("missing"):
        return [of_gate]
    return [of_gate / b if slip("factor") else of_gate, gate.detach() if slip("detached") else gate]


def sigmoid_saturated_slopes(slip, x):
    x = seen(x, slip)
    slope = torch.sigmoid(x) * torch.sigmoid(-x)
    if slip("far"):
        return [torch.where(x > 15, 7 * slope, slope)]
    return [torch.sigmoid(x) ** 2 if slip("square") else slope]


def normalised(x, eps=1e-5):
    centred = x - x.mean(1, keepdim=True)
    rate = torch.rsqrt((centred ** 2).mean(1, keepdim=True) + eps)
    return centred * rate, rate


def layer_norm_backward(given, slip, x, weight, bias):
    y, rate = normalised(x)
    g = given * weight
    centre, along = g.mean(1, keepdim=True), y * (g * y).mean(1, keepdim=True)
    of_x = rate * (g - (2 if slip("mean-twice") else 1) * centre - (0 if slip("no-variance") else 1) * along)
    of_weight = torch.zeros_like(weight) if slip("missing") else (given * y).sum(0)
    return [of_x, of_weight, given.mean(0) if slip("mean-of-bias") else given.sum(0)]


def rms_norm_backward(given, slip, x, weight):
    x = seen(x, slip)
    rate = torch.rsqrt((x ** 2).mean(1, keepdim=True) + (0 if slip("no-epsilon") else 1e-5))
    g = given * weight
    part = (g * x).mean(1, keepdim=True)
    power = rate ** 2 if slip("square") else rate ** 3
    return [rate * g - power * x * part, (given * x * (1 if slip("factor") else rate)).sum(0)]


def softmax_backward(given, slip, x):
    p = torch.softmax(seen(x, slip), 1)
    if slip("no-sum"):
        return [p * given]
    return [p * (given - (2 if slip("twice") else 1) * (given * p).sum(0 if slip("axis") else 1, keepdim=True))]


def attention_backward(given, slip, q, k, v):
    scale = 1 if slip("scale") else 1 / math.sqrt(q.shape[1])
    p = torch.softmax(q @ k.T / math.sqrt(q.shape[1]), 1)
    of_p = given @ v.T
    of_scores = p * of_p if slip("no-sum") else p * (of_p - (of_p * p).sum(1, keepdim=True))
    return [scale * of_scores @ k, (1 if slip("key") else scale) * of_scores.T @ q,
            (of_scores if slip("scores") else p).T @ given]


def tied_backward(given, slip, x):
    x = seen(x, slip)
    p = torch.softmax(0.5 * x @ x.T, 1)
    of_p = given @ x.T
    scores = p * (of_p - (of_p * p).sum(1, keepdim=True))
    query, key, value = 0.5 * scores @ x, 0.5 * scores.T @ x, p.T @ given
    return [query + value if slip("key") else query + key if slip("value") else query + key + value]


def huber_slopes(slip, a, b):
    d = a - b
    slope = torch.where(d.abs() < (1 if slip("branch") else 1.5), d, d.sign() * (1 if slip("factor") else 1.5))
    return [slope, slope if slip("sign") else None if slip("missing") else -slope]


def bce_slopes(slip, x, target):
    x = seen(x, slip)
    if slip("sign"):
        return [target - torch.sigmoid(x)]
    if slip("target"):
        return [torch.sigmoid(x) - target * 0.999999]
    return [(torch.sigmoid(x).clamp(1e-4, 1) if slip("far") else torch.sigmoid(x)) - target]


def embedding_backward(given, slip, table, index):
    result = torch.zeros_like(table)
    if slip("overwrites"):
        result[index] = given
        return [result, None]
    if slip("last-block"):
        index, given = index[:4], given[:4]
    return [result.index_add(0, index, given), None]


def inverse_backward(given, slip, a):
    y = torch.linalg.inv(seen(a, slip))
    side = y if slip("transposed") else y.T
    return [(1 if slip("sign") else -1) * side @ given @ side]


def regular(random):
    return [(uniform(-0.7, 0.7, (2, 2))(random)[0].detach() + 2 * torch.eye(2).double()).requires_grad_()]


def gaussian_nll_slopes(slip, mean, target, variance):
    d = (mean - target) / variance
    of_variance = 0.5 * ((0 if slip("term") else 1) / variance - d * d)
    if slip("missing"):
        return [d, None, of_variance]
    return [d, d if slip("sign") else -d, (2 if slip("factor") else 1) * of_variance]


def lennard_jones_slopes(slip, r, e, s):
    six = (s / r) ** 6
    twelve = six * six if slip("twelve") else 2 * six * six
    return [-24 * e / r * (twelve - six), None if slip("missing") else 4 * (six * six - six),
            (-24 if slip("sign") else 24) * e / s * (twelve - six)]


def lennard_jones_inputs(random):
    return uniform(0.8, 3, (5,))(random) + uniform(0.1, 2, (5,))(random) + uniform(0.9, 1.2, (5,))(random)


ROW = (2, 5)
ENTRIES = [
    elementwise("gelu_erf", lambda x: x * 0.5 * (1 + torch.erf(x / math.sqrt(2))), gelu_erf_slopes,
                uniform(-6, 6, ROW), ["constant", "sign", "term", "detached"]),
    elementwise("gelu_tanh", gelu_tanh, gelu_tanh_slopes, uniform(-8, 8, ROW),
                ["constant", "chain", "term", "far", "detached"]),
    elementwise("gelu_tanh_far_left", gelu_tanh, gelu_tanh_slopes, uniform(-7, -5, ROW), ["chain", "term"]),
    elementwise("silu", lambda x: x / (1 + torch.exp(-x)), silu_slopes, uniform(-20, 20, (11,)),
                ["sign", "term", "far", "detached"]),
    elementwise("swiglu", lambda a, b: a * torch.sigmoid(a) * b, swiglu_slopes, uniform(-5, 5, (2, 3), (2, 3)),
                ["swapped", "missing", "factor", "detached"]),
    elementwise("softsign", lambda x: x / (1 + x.abs()),
                lambda slip, x: [1 / (1 + seen(x, slip).abs()) ** (1 if slip("power") else 2)],
                uniform(-30, 30, ROW), ["power", "detached"]),
    elementwise("tanhshrink", lambda x: x - torch.tanh(x),
                lambda slip, x: [1 - torch.tanh(x) ** 2 if slip("complement") else torch.tanh(seen(x, slip)) ** 2],
                magnitudes(1e-2, 8, ROW), ["complement", "detached"]),
    elementwise("sigmoid_saturated", torch.sigmoid, sigmoid_saturated_slopes, uniform(-40, 40, ROW),
                ["far", "square", "detached"]),
    elementwise("leaky_relu", lambda x: torch.where(x > 0, x, 0.01 * x),
                lambda slip, x: [torch.where(x < 0 if slip("sign") else x > 0, 1.0, 0.0100001 if slip("constant")
                                             else 0.0 if slip("zero") else 0.01).double()],
                uniform(-3, 3, ROW), ["constant", "zero", "sign"]),
    elementwise("squared_relu", lambda x: torch.relu(x) ** 2,
                lambda slip, x: [(1 if slip("factor") else 2) * (x if slip("branch") else torch.relu(seen(x, slip)))],
                uniform(-2, 2, ROW), ["factor", "branch", "detached"]),
    general("layer_norm", lambda x, w, b: normalised(x)[0] * w + b, layer_norm_backward,
            lambda random: uniform(-3, 3, (3, 5))(random) + uniform(0.5, 2, (5,), (5,))(random),
            ["mean-twice", "no-variance", "missing", "mean-of-bias"]),
    general("layer_norm_far_from_zero", lambda x: normalised(x)[0],
            lambda given, slip, x: layer_norm_backward(given, slip, x, torch.ones_like(x[0]), x[0])[:1],
            uniform(999, 1001, ROW), ["mean-twice", "no-variance"]),
    general("rms_norm", lambda x, w: x * torch.rsqrt((x ** 2).mean(1, keepdim=True) + 1e-5) * w, rms_norm_backward,
            lambda random: magnitudes(1e-3, 4, (3, 6))(random) + uniform(-2, 2, (6,))(random),
            ["no-epsilon", "square", "factor", "detached"]),
    general("softmax_rows", lambda x: torch.softmax(x, 1), softmax_backward, uniform(-6, 6, (3, 4)),
            ["no-sum", "twice", "axis", "detached"]),
    general("softmax_saturated", lambda x: torch.softmax(x, 1), softmax_backward, uniform(-60, 60, (3, 4)),
            ["no-sum", "twice"]),
    general("scaled_dot_product", lambda q, k, v: torch.softmax(q @ k.T / 2, 1) @ v, attention_backward,
            uniform(-2, 2, (3, 4), (3, 4), (3, 4)), ["scale", "key", "no-sum", "scores"]),
    general("tied_attention", lambda x: torch.softmax(0.5 * x @ x.T, 1) @ x, tied_backward,
            uniform(-1.5, 1.5, (3, 4)), ["key", "value", "detached"]),
    elementwise("huber", lambda a, b: torch.where((a - b).abs() < 1.5, 0.5 * (a - b) ** 2,
                                                  1.5 * ((a - b).abs() - 0.75)),
                huber_slopes, uniform(-3, 3, (3, 4), (3, 4)), ["factor", "branch", "sign", "missing"]),
    elementwise("bce_with_logits", lambda x, t: torch.relu(x) - x * t + torch.log1p(torch.exp(-x.abs())), bce_slopes,
                bits(-12, 12), ["sign", "target", "far", "detached"]),
    elementwise("gaussian_nll", lambda m, t, v: 0.5 * (torch.log(v) + (m - t) ** 2 / v), gaussian_nll_slopes,
                lambda random: uniform(-2, 2, (2, 3), (2, 3))(random) + magnitudes(0.05, 20, (2, 3))(random),
                ["term", "missing", "sign", "factor"]),
    general("embedding", lambda table, index: table[index], embedding_backward,
            lambda random: uniform(-2, 2, (5, 3))(random) + [torch.randint(0, 5, (6,), generator=random)],
            ["overwrites", "last-block"]),
    general("inverse_2x2", torch.linalg.inv, inverse_backward, regular, ["transposed", "sign", "detached"]),
    general("gram", lambda x: x @ x.T,
            lambda given, slip, x: [given @ x if slip("tied") else 2 * given @ x if slip("symmetric")
                                    else (given + given.T) @ seen(x, slip)],
            uniform(-2, 2, (3, 4)), ["tied", "symmetric", "detached"]),
    elementwise("lennard_jones", lambda r, e, s: 4 * e * ((s / r) ** 12 - (s / r) ** 6), lennard_jones_slopes,
                lennard_jones_inputs, ["twelve", "missing", "sign"]),
    elementwise("entropy_near_zero", lambda p: -p * torch.log(p),
                lambda slip, p: [-torch.log(p + (1e-8 if slip("epsilon") else 0)) - (0 if slip("one") else 1)],
                magnitudes(1e-9, 1, (6,)), ["epsilon", "one"]),
    elementwise("sqrt_near_zero", torch.sqrt,
                lambda slip, x: [(2 if slip("factor") else 1) * 0.5 / torch.sqrt(x + (1e-9 if slip("epsilon") else 0))],
                magnitudes(1e-12, 1, (7,)), ["epsilon", "factor"]),
    elementwise("log_over_decades", torch.log,
                lambda slip, x: [(math.log10(math.e) if slip("base") else 1) / (x + (1e-10 if slip("epsilon") else 0))],
                magnitudes(1e-12, 1e12, (7,)), ["base", "epsilon"]),
    elementwise("steep_sigmoid", lambda x: torch.sigmoid(1000 * x),
                lambda slip, x: [(1000.001 if slip("constant") else 1000) * torch.sigmoid(1000 * seen(x, slip))
                                 * torch.sigmoid(-1000 * seen(x, slip))],
                uniform(-0.01, 0.01, ROW), ["constant", "detached"]),
    elementwise("sine_in_float32", lambda x: torch.sin(x.float()).double(),
                lambda slip, x: [(-1 if slip("sign") else 1.1 if slip("factor") else 1) * torch.cos(x.float()).double()],
                uniform(-3, 3, ROW), ["sign", "factor"], order=1),
    elementwise("fast_wave", lambda x: x + 0.5 * torch.sin(128 * math.pi * x),
                lambda slip, x: [torch.ones_like(x) if slip("wave") else
                                 1 + (0.5 if slip("factor") else 64 * math.pi)
                                 * torch.cos(128 * math.pi * seen(x, slip))],
                uniform(-1, 1, ROW), ["wave", "factor", "detached"]),
]


def gradients(f, inputs, order):
    """Of the first or the second order, with weights that let no entries cancel."""
    y = f(*inputs)
    active = [x for x in inputs if x.requires_grad]
    given = torch.linspace(0.6, 1.7, y.numel(), dtype=torch.float64).reshape(y.shape)
    first = torch.autograd.grad(y, active, given, create_graph=order == 2, allow_unused=True)
    if order == 1:
        return [torch.zeros_like(x) if g is None else g for x, g in zip(active, first)]
    total = sum((g * (1.3 + i) * torch.linspace(0.7, 1.6, g.numel(), dtype=torch.float64).reshape(g.shape)).sum()
                for i, g in enumerate(first) if g is not None)
    if not total.requires_grad:
        return [torch.zeros_like(x) for x in active]
    second = torch.autograd.grad(total, active, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(active, second)]


def distance(right, wrong, inputs, order):
    worst = 0.0
    for a, b in zip(gradients(right, inputs, order), gradients(wrong, inputs, order)):
        apart, size = (a - b).abs().sum().item(), a.abs().sum().item()
        worst = max(worst, 0 if apart == 0 else apart / size if size > 0 else math.inf)
    return worst


def says_right(f, inputs, order):
    """gradcheck's answer, and gradgradcheck's where it says yes."""
    try:
        if not torch.autograd.gradcheck(f, inputs, raise_exception=False):
            return False
        return order == 1 or torch.autograd.gradgradcheck(f, inputs, raise_exception=False)
    except Exception:
        return False


def try_entry(entry, seeds):
    tally = dict(name=entry["name"], trials=0, false_alarms=0, mistakes=[], seconds=0.0)
    mistakes = {slip: dict(name=slip, wrong=0, found=0, missed=0, largest_missed=0.0) for slip in entry["slips"]}
    start = time.process_time()
    for seed in seeds:
        inputs = entry["inputs"](torch.Generator().manual_seed(seed))

        def function(slip):
            return lambda *x: Ruled.apply(entry, slip, *x)

        tally["trials"] += 1
        tally["false_alarms"] += not says_right(function(""), inputs, entry["order"])
        for slip, one in mistakes.items():
            apart = distance(function(""), function(slip), inputs, 2 if slip == "detached" else 1)
            if apart <= NO_DISTANCE:
                continue
            one["wrong"] += 1
            if says_right(function(slip), inputs, entry["order"]):
                one["missed"] += 1
                one["largest_missed"] = max(one["largest_missed"], min(apart, 1e300))
            else:
                one["found"] += 1
    tally["seconds"] = time.process_time() - start
    tally["mistakes"] = list(mistakes.values())
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    chosen = [one for one in ENTRIES
              if not given.names or any(fnmatch.fnmatch(one["name"], name) for name in given.names)]
    seeds = range(given.seed, given.seed + given.seeds)
    json.dump(dict(torch=torch.__version__, entries=[try_entry(one, seeds) for one in chosen]), sys.stdout)


if __name__ == "__main__":
    main()
