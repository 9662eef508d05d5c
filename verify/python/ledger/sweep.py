#!/usr/bin/env python3
"""Asks check() about every differentiable operator of the libraries installed here, and lists what it calls wrong:

    python3 verify/python/ledger/sweep.py {pytorch,jax} [--jobs 2] [--record FILE.jsonl] [--quick 4] [NAME...]

PyTorch's list of operators and of their samples is its own op_db (pip install expecttest); JAX's are all functions in the
modules below that take one or two arrays. Each is asked at an ordinary point up to the third order, in reverse, forward and
nested forward mode; with an entry that is 0 and with ties; in float32 and bfloat16 against itself in float64; and, if it
takes numbers one by one, at tails. It is not asked where its value is not finite.

A line is a suspicion, no finding: conventions at kinks and results that saturate are among them. What a second way
confirms goes into findings.py. Operators are in processes of their own: one that crashes or hangs is a line, too. With
--record a run goes on where an earlier one ended; the file has the verdict and power of every question, too. --quick asks an
operator nothing more after so many seconds."""
import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

RED = ("FAIL", "NONFINITE", "ERROR", "REJECTED", "NONDETERMINISTIC")
TAILS = (0.0, 1.0, 1e-9, 1e-200, 30.0, 80.0, 700.0, 1e8, 1e200)
ENTRIES, SAMPLES, SECONDS = 27, 2, 240
budget = float("inf")  # seconds of the processor after which an operator is asked nothing more: --quick
MODULES = ("jax.numpy", "jax.nn", "jax.scipy.special", "jax.lax", "jax.numpy.linalg", "jax.scipy.linalg", "jax.numpy.fft",
           "jax.scipy.stats.norm", "jax.scipy.stats.beta", "jax.scipy.stats.gamma", "jax.scipy.stats.t")
FEW = ["layouts", "strides", "sources", "subsets", "kept", "masked", "hygiene", "results", "incoming", "no-grad", "saved", "ties",
       "shapes", "inputs", "modes", "second-order"]


def begin(name):
    """The process ends where an operator needs too much time of the processor, however busy the machine is."""
    global since
    since = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, min(SECONDS, 10 * budget))
    print(json.dumps({"begun": name}), flush=True)


def asked(name, how, f, inputs, **options):
    """Prints what is wrong with f there, as lines of JSON."""
    from notape.verify import check
    begun = time.monotonic()
    try:
        if time.process_time() - since > budget:
            raise TimeoutError("no time left")
        result = check(f, *inputs, name=name, long=False, evidence=False, **options)
    except Exception as error:  # it takes no such input
        print(json.dumps({"name": name, "how": how, "not asked": f"{type(error).__name__}: {str(error)[:80]}"}), flush=True)
        return
    open_ones = {one["check"]: one["detail"][:120] for one in result.findings if one["verdict"] == "UNRESOLVED"}
    print(json.dumps({"name": name, "how": how, "answer": result.verdict, "power": result.power, "seconds": round(time.monotonic() - begun, 2),
                      "unresolved": open_ones}), flush=True)
    for finding in result.findings:
        if finding["verdict"] in RED:
            print(json.dumps({"name": name, "how": how, **{key: finding[key] for key in ("check", "verdict", "text")}}), flush=True)


def everything(name, f, inputs, is_elementwise, of, tangent, is_first):
    """`of` makes arrays; `tangent(f)` is the derivative of f along ones, by forward mode."""
    asked(name, "float64", f, inputs, order=3 if of.count(inputs) <= 4 and budget > SECONDS else 2, samples=2 if budget > SECONDS else 1)
    if not is_first:
        return
    for dtype in ("float32", "bfloat16"):
        asked(name, dtype, f, [of.cast(x, dtype) for x in inputs], order=1, reference=f, forward_mode=False)
    if is_elementwise:  # all in one vector: its entries are judged alone where others would hide them
        tails = [one for tail in TAILS for one in (tail, -tail) if of.is_finite(f, [of.vector([one])] * len(inputs))]
        asked(name, "at tails", f, [of.vector(tails)] * len(inputs), order=1, left_out=FEW)
    asked(name, "of its forward mode", tangent(f), inputs, order=1, left_out=FEW)
    zeros = [of.with_zero(x) for x in inputs]
    if of.is_finite(f, zeros):
        asked(name, "with a zero", f, zeros, order=2, left_out=FEW[:-1])
    asked(name, "with ties", f, [of.with_ties(x) for x in inputs], order=1)


# --- PyTorch ---------------------------------------------------------------------------------------------------------

class OfTorch:
    @staticmethod
    def count(xs):
        return sum(x.numel() for x in xs)

    @staticmethod
    def with_zero(x):
        y = x.detach().clone().contiguous()
        y.view(-1)[:1] = 0
        return y

    @staticmethod
    def with_ties(x):
        return (x.detach() * 2).round() / 2

    @staticmethod
    def cast(x, dtype):
        import torch
        return x.detach().to(getattr(torch, dtype))

    @staticmethod
    def vector(values):
        import torch
        return torch.tensor(values, dtype=torch.float64)

    @staticmethod
    def is_finite(f, xs):
        import torch
        from torch.utils import _pytree
        try:
            return all(bool(torch.isfinite(y).all()) for y in _pytree.tree_leaves(f(*xs)) if isinstance(y, torch.Tensor))
        except Exception:  # it refuses them
            return False


def torch_names():
    from torch.testing._internal.common_methods_invocations import op_db
    import torch
    return {one.name + ("." + one.variant_test_name if one.variant_test_name else ""): one
            for one in op_db if one.supports_autograd and torch.float64 in one.dtypes and not re.match("_[a-z]", one.name)}


def torch_sweep(names):
    import torch
    from torch.testing._internal.opinfo.core import UnaryUfuncInfo
    from torch.utils import _pytree
    operators = torch_names()

    def tangent(f):
        return lambda *xs: torch.func.jvp(f, xs, tuple(torch.ones_like(x) for x in xs))[1]

    for name in names:
        begin(name)
        one, taken = operators[name], 0
        torch.manual_seed(1)
        for sample in one.sample_inputs("cpu", torch.float64, requires_grad=True):
            flat, tree = _pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
            places = [i for i, x in enumerate(flat) if isinstance(x, torch.Tensor) and x.requires_grad]
            xs = [flat[i].detach() for i in places]
            if isinstance(one, UnaryUfuncInfo):
                xs = [xs[0].reshape(-1)[:4]]
            if not xs or sum(x.numel() for x in xs) > ENTRIES or not all(x.numel() for x in xs):
                continue

            def f(*xs, flat=flat, tree=tree, places=places, sample=sample):
                filled = list(flat)
                for place, x in zip(places, xs):
                    filled[place] = x
                x, args, kwargs = _pytree.tree_unflatten(filled, tree)
                return sample.output_process_fn_grad(one.gradcheck_wrapper(one.op, x, *args, **kwargs))

            try:
                if not all(torch.equal(a, b) for a, b in zip(*[_pytree.tree_leaves(f(*xs)) for _ in range(2)])):
                    break  # random
            except Exception:
                continue
            is_elementwise = len(flat) == len(xs) <= 2 and getattr(f(*xs), "shape", None) == xs[0].shape
            everything(name, f, xs, is_elementwise, OfTorch, tangent, taken == 0)
            taken += 1
            if taken == SAMPLES or budget < SECONDS:
                break


# --- JAX -------------------------------------------------------------------------------------------------------------

class OfJax:
    @staticmethod
    def count(xs):
        return sum(x.size for x in xs)

    @staticmethod
    def with_zero(x):
        return x.at[(0,) * x.ndim].set(0.0)

    @staticmethod
    def with_ties(x):
        return (x * 2).round() / 2

    @staticmethod
    def cast(x, dtype):
        return x.astype(dtype)

    @staticmethod
    def vector(values):
        import jax.numpy as jnp
        return jnp.array(values)

    @staticmethod
    def is_finite(f, xs):
        import jax.numpy as jnp
        return bool(jnp.all(jnp.isfinite(f(*xs))))


def jax_names():
    import importlib
    import jax
    jax.config.update("jax_enable_x64", True)
    found = {}  # of those that are under several names the first
    for module in map(importlib.import_module, MODULES):
        for name, one in vars(module).items():
            if callable(one) and not name.startswith("_") and not isinstance(one, type) and not (module is jax.lax and hasattr(jax.numpy, name)):
                found.setdefault(one, f"{module.__name__}.{name}")
    return {name: one for one, name in found.items()}


def jax_sweep(names):
    import jax
    import jax.numpy as jnp
    functions = jax_names()

    def tangent(f):
        return lambda *xs: jax.jvp(f, xs, tuple(jnp.ones_like(x) for x in xs))[1]

    def is_floating(y):
        return isinstance(y, jax.Array) and jnp.issubdtype(y.dtype, jnp.floating)

    for name in names:
        begin(name)
        f = functions[name]
        shape = (2, 2) if "linalg" in name else (3,)
        x = jnp.array([0.3, 0.7, 0.45, 0.85])[:4 if shape == (2, 2) else 3].reshape(shape)
        for inputs in ((x,), (x, x[::-1] * 0.9)):
            try:
                y = f(*inputs)
                if is_floating(y) and bool(jnp.any(jax.grad(lambda x: f(x, *inputs[1:]).sum())(x) != 0)):
                    everything(name, f, inputs, y.shape == x.shape and "linalg" not in name, OfJax, tangent, True)
                    break
            except Exception:  # it takes other arguments
                pass


SWEEPS = {"pytorch": (torch_names, torch_sweep), "jax": (jax_names, jax_sweep)}


def in_children(library, names, record):
    """Runs a child until it has done all of them; one that it was at when it died or took too long is left out in the next."""
    names = list(names)
    while names:
        environment = dict(os.environ, OMP_NUM_THREADS="1", JAX_PLATFORMS="cpu")
        chunk, errors = names[:20], tempfile.TemporaryFile("w+")
        child = subprocess.Popen([sys.executable, "-W", "ignore", __file__, library, "--child", "--quick", str(budget), *chunk], stdout=subprocess.PIPE,
                                 stderr=errors, text=True, env=environment)
        begun = None
        for line in child.stdout:
            if not line.startswith("{"):
                continue
            one = json.loads(line)
            if "begun" not in one:
                record(one)
                continue
            if begun:
                record({"done": begun})
            begun = one["begun"]
        if child.wait() == -signal.SIGPROF:
            record({"name": begun, "how": "", "not asked": "TimeoutError: it took too long"})
        elif child.returncode:
            errors.seek(0)
            record({"name": begun, "how": "", "check": "", "verdict": "ERROR", "text": f"ended with {child.returncode}: {errors.read().strip()[-200:]}"})
        if begun:
            record({"done": begun})
        names = names[chunk.index(begun) + 1 if child.returncode and begun else len(chunk):]


def counts_of(every, lines):
    """Operators: all, those of which something was asked, and of these those without a suspicion; the others had no sample
    of the size asked, or are random, or were not reached."""
    done = {one["done"] for one in lines if "done" in one} & set(every)
    asked = {one["name"] for one in lines if "answer" in one} & done
    suspected = {one["name"] for one in lines if "check" in one}
    return {"operators": len(every), "reached": len(done), "asked": len(asked), "without_suspicion": len(asked - suspected),
            "questions": sum("answer" in one for one in lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=SWEEPS)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--record")
    parser.add_argument("--quick", type=float, default=budget, metavar="SECONDS", help="for each operator: a first pass over all of them")
    parser.add_argument("--counts", metavar="FILE.json", help="asks nothing: writes how far the record has come")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_intermixed_args()
    globals()["budget"] = arguments.quick
    names_of, sweep = SWEEPS[arguments.library]
    if arguments.child:
        sweep(arguments.names)
        return
    every = sorted(names_of())
    names = [one for one in every if not arguments.names or any(one == wanted or wanted.endswith("*") and one.startswith(wanted[:-1])
                                                               for wanted in arguments.names)]
    if arguments.counts:
        with open(arguments.record, encoding="utf-8") as record, open(arguments.counts, "a+", encoding="utf-8") as counts:
            counts.seek(0)
            found = json.loads(counts.read() or "{}") | {arguments.library: counts_of(every, list(map(json.loads, record)))}
            counts.truncate(0)
            counts.write(json.dumps(found, indent=1) + "\n")
        return
    out = open(arguments.record, "a+", encoding="utf-8") if arguments.record else None
    if out:
        out.seek(0)
        done = {one.get("done") for one in map(json.loads, out)}
        names = [one for one in names if one not in done]
    counts = {"operators": len(names), "suspicions": 0, "answer": 0, "not asked": 0}

    def record(one):
        kind = next((key for key in ("done", "answer", "not asked") if key in one), "suspicions")
        if kind in counts:
            counts[kind] += 1
        if out:
            out.write(json.dumps(one) + "\n")
            out.flush()
        if kind == "suspicions":
            why = one["text"].partition("  why ")[2].partition("\n")[0].strip() or one["text"]
            print(f"{one['name']}, {one['how']}: {one['verdict']} {one['check']}: {why[:160]}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(lambda k: in_children(arguments.library, names[k::arguments.jobs], record), range(arguments.jobs)))
    print(", ".join(f"{key}: {value}" for key, value in counts.items()))


if __name__ == "__main__":
    main()
