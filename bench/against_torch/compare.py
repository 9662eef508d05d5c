#!/usr/bin/env python3
"""Compares every operator with PyTorch's: values, gradients of both orders, errors, promotion.

compare.py PROGRAM [NAME...] [--seeds N] [--seed S] [--json FILE] [--verbose]

PROGRAM is what `against_torch` in the build folder is. Each operator is called with random arguments
by both sides, in seven variants: plain (float64, second order), ties, special (NaN, infinities),
float32, dtypes (any), shape and parameter (something is wrong, perhaps). A difference counts unless
differences.py says why we differ there; a reason that no difference needs is stale. Exit status 1 for
either, 0 otherwise, 77 without PyTorch. Out forms are given tensors of any dtype, of the right shape or
empty, where the functions agree. NAME may have wildcards; then, and with other or fewer seeds
than by default, nothing is stale.
"""
import argparse
import collections
import dataclasses
import fnmatch
import json
import os
import sys
import warnings

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed (pip install torch)")
    sys.exit(77)

import cases
import differences
from draw import VARIANTS, Draw
from sides import NAMES, Ours, call_torch

OLDEST = (2, 15)
TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}
FLOOR = {torch.float64: 1e-11, torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
EARLY = ("request", "forward")  # phases before there is a result
# What torch says where it has no kernel, or no derivative, rather than a rule against it.
NOT_THERE = ("not implemented for", "NotImplementedError", "is not implemented", "not supported for")


@dataclasses.dataclass
class Difference:
    operator: str
    variant: str
    kind: str  # error, torch error, crash, count, dtype, shape, value, gradient, second, shares
    arguments: str
    ours: str
    theirs: str
    reason: str = ""


def text_of(value):
    if isinstance(value, torch.Tensor):
        flag = "*" if value.requires_grad else ""
        return f"{NAMES[value.dtype]}{flag}{list(value.shape)}{value.detach().tolist()}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return str(value)


def apart(ours, theirs, tolerance, floor):
    """Whether entries are farther from each other than rounding explains. -0 is 0."""
    a, b = ours.double().flatten(), theirs.double().flatten()
    odd = ~(torch.isfinite(a) & torch.isfinite(b))
    same = (a == b) | (torch.isnan(a) & torch.isnan(b))
    if bool((odd & ~same).any()):
        return True
    size = b[~odd].abs().max().item() if bool((~odd).any()) else 0
    close = (a - b).abs() <= tolerance * (b.abs() + min(size, 1e3) * 0.1) + floor
    return not bool((odd | same | close).all())


def compare_tensors(kind, ours, theirs, coarsest):
    """(kind, ours, theirs) of the first difference, or None. No gradient is a gradient of zeros."""
    for a, b in zip(ours, theirs):
        if a is None and b is None:
            continue
        a = torch.zeros_like(b) if a is None else a
        b = torch.zeros_like(a) if b is None else b
        if a.dtype != b.dtype:
            return "dtype", text_of(a), text_of(b)
        if a.shape != b.shape:
            return "shape", text_of(a), text_of(b)
        tolerance = max(TOLERANCE.get(a.dtype, 0), coarsest if a.dtype.is_floating_point else 0)
        if apart(a, b, tolerance, FLOOR.get(a.dtype, 0)):
            return kind, text_of(a), text_of(b)
    return None


def compare(ours, theirs, coarsest, order):
    """The first difference of two outcomes, None, or "theirs" for what torch cannot do at all."""
    if ours.error or theirs.error:
        if ours.error and theirs.error and (ours.phase in EARLY) == (theirs.phase in EARLY):
            return None
        if ours.phase == "crash":
            return "crash", ours.error, theirs.error
        if theirs.error and any(words in theirs.error for words in NOT_THERE):
            return "theirs"
        kind = "error" if ours.error else "torch error"
        return kind, f"{ours.phase} {ours.error}" if ours.error else text_of(ours.results), \
            f"{theirs.phase} {theirs.error}" if theirs.error else text_of(theirs.results)
    if len(ours.results) != len(theirs.results):
        return "count", text_of(ours.results), text_of(theirs.results)
    found = compare_tensors("value", ours.results, theirs.results, coarsest)
    if found is None and ours.shared != theirs.shared and any(
            a != b and one.numel() for a, b, one in zip(ours.shared, theirs.shared, ours.results)):
        found = "shares", str(ours.shared), str(theirs.shared)
    if found is None and order > 0:
        found = compare_tensors("gradient", *filled(ours.gradients, theirs.gradients), coarsest * 5)
    if found is None and order > 1:
        found = compare_tensors("second", *filled(ours.second, theirs.second), coarsest * 50)
    return found


def filled(ours, theirs):
    """Lists of one length: a side without a graph has no gradients, which are zeros."""
    count = len(ours or theirs or [])
    return ours or [None] * count, theirs or [None] * count


def coarsest_of(value):
    """The coarsest dtype of the arguments decides what rounding explains."""
    if isinstance(value, torch.Tensor):
        return TOLERANCE.get(value.dtype, 1e-4)
    if isinstance(value, torch.dtype):
        return TOLERANCE.get(value, 0)
    if isinstance(value, list):
        return max(map(coarsest_of, value), default=0)
    return 0


class Comparison:
    """Torch is called in a child process: some wrong arguments end it."""

    def __init__(self, ours, options):
        self.ours, self.options = ours, options
        self.tally = collections.defaultdict(collections.Counter)
        self.found = []
        self.reasons = collections.Counter()

    def one(self, name, case, variant, seed):
        """(what to count, the difference or None, the number of its reason or None)"""
        change, order = VARIANTS[variant]
        draw = Draw(f"{name} {case} {variant} {seed}")
        arguments = change(cases.CASES[base_of(name)][case](draw), draw)
        if is_out_form(name):
            ours, theirs, arguments = self.both_into_outs(name, arguments, draw)
            order = 0
        else:
            theirs = None if arguments is None else call_torch(name, arguments, order)
            ours = self.ours.call(name, arguments, order) if theirs else None
        if theirs is None:
            return ["no call"], None, None
        answer = compare(ours, theirs, coarsest_of(arguments), order)
        counts = ["compared"] + ["errors"] * bool(theirs.error)
        if answer is None or answer == "theirs":
            return counts + ["torch has none"] * (answer is not None), None, None
        difference = Difference(name, variant, answer[0], text_of(arguments)[1:-1], *answer[1:])
        for number, known in enumerate(differences.KNOWN):
            if known.holds(difference, arguments):
                return counts + ["on purpose"], None, number
        return counts + ["unexplained"], dataclasses.asdict(difference), None

    def both_into_outs(self, name, arguments, draw):
        """(ours, theirs, arguments with outs). theirs is None where the functions differ already."""
        base, arguments = base_of(name), without_gradient(arguments)
        theirs = None if arguments is None else call_torch(base, arguments, 0)
        if theirs is None or theirs.error:
            return None, None, None
        if compare(self.ours.call(base, arguments, 0), theirs, coarsest_of(arguments), 0):
            return None, None, None
        outs = [drawn_out(one, draw) for one in theirs.results]
        theirs = call_torch(base, arguments, 0, [one.clone() for one in outs])
        for more in ([], [None]):  # C++ fills in no dtype that is left out
            ours = self.ours.call(name, [*outs, *arguments, *more], 0)
            if ours.error != "overload " + name:
                break
        else:  # a number where the form takes a tensor alone
            return None, None, None
        ours.shared = theirs.shared if theirs else None  # with what is written
        return ours, theirs, [*outs, *arguments]

    def from_child(self, calls):
        """Makes the calls; returns how many were made, the last of which may have ended torch."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            for call in calls:
                os.write(writer, b"call\n")
                os.write(writer, json.dumps(self.one(*call)).encode() + b"\n")
            os._exit(0)
        os.close(writer)
        made = 0
        with os.fdopen(reader) as lines:
            for line in lines:
                if line == "call\n":
                    made += 1
                    continue
                counts, difference, reason = json.loads(line)
                self.tally[calls[made - 1][0]].update(counts)
                if difference:
                    self.found.append(Difference(**difference))
                if reason is not None:
                    self.reasons[reason] += 1
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            self.ours.restart()  # what it was asked may not have been read
            self.tally[calls[made - 1][0]]["torch ended"] += 1
        elif status:
            raise RuntimeError(f"{calls[made - 1]}: the comparison itself fails")
        return made

    def run(self, names):
        seeds = range(self.options.seed, self.options.seed + self.options.seeds)
        calls = [(name, case, variant, seed) for name in names
                 for case in range(len(cases.CASES[base_of(name)]))
                 for variant in VARIANTS for seed in seeds]
        while calls:
            calls = calls[self.from_child(calls):]


def base_of(name):
    """In place, and into an out, an operator is called as it is out of place."""
    return name if name in cases.CASES else name.removesuffix("_out").removesuffix("_")


def is_out_form(name):
    return name.endswith("_out") and name not in cases.CASES


def without_gradient(value):
    if isinstance(value, torch.Tensor):
        return value.detach()
    return [without_gradient(one) for one in value] if isinstance(value, list) else value


def drawn_out(result, draw):
    """Of the result's shape or empty, of its dtype or another."""
    dtype = draw.pick(result.dtype, result.dtype, *NAMES)
    return torch.zeros(draw.pick(result.shape, result.shape, (0,)), dtype=dtype)


def shown(text, verbose):
    return text if verbose or len(text) <= 150 else text[:150] + "..."


def print_report(comparison, verbose):
    columns = ("compared", "errors", "torch has none", "torch ended", "on purpose", "unexplained")
    print(f"{'operator':30}" + "".join(f"{one:>15}" for one in columns))
    for name, tally in comparison.tally.items():
        print(f"{name:30}" + "".join(f"{tally[one]:15}" for one in columns))
    seen = collections.Counter()
    for one in comparison.found:
        seen[one.operator, one.variant, one.kind] += 1
        if seen[one.operator, one.variant, one.kind] > (1000 if verbose else 2):
            continue
        print(f"\n{one.operator} ({one.variant}): {one.kind}\n  with   {shown(one.arguments, verbose)}"
              f"\n  ours   {shown(one.ours, verbose)}\n  torch  {shown(one.theirs, verbose)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seeds", type=int, default=6, help="calls of each kind and variant")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--verbose", action="store_true", help="every difference, whole")
    parser.add_argument("--any-version", action="store_true",
                        help="also with a PyTorch older than the one that the reasons are about")
    options = parser.parse_intermixed_args()
    if tuple(map(int, torch.__version__.split(".")[:2])) < OLDEST and not options.any_version:
        print(f"skipped: PyTorch is {torch.__version__}, and the reasons for differences are about "
              f"{'.'.join(map(str, OLDEST))} (pip install torch)")
        return 77
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    ours = Ours(options.program)
    known = ours.names()
    names = [one for one in known if base_of(one) in cases.CASES and one not in cases.WITHOUT]
    missing = [one for one in known if one not in names and not {one, base_of(one)} & set(cases.WITHOUT)]
    chosen = [one for one in names
              if not options.names or any(fnmatch.fnmatch(one, name) for name in options.names)]
    comparison = Comparison(ours, options)
    comparison.run(chosen)
    print_report(comparison, options.verbose)
    other_calls = options.seed != parser.get_default("seed") or options.seeds < parser.get_default("seeds")
    stale = [] if options.names or other_calls else [one for i, one in enumerate(differences.KNOWN)
                                      if not comparison.reasons[i] and not one.rare]
    for one in stale:
        print(f"stale: {one.operators}: {one.reason}")
    if missing:
        print("without a case:", *missing)
    rows = sorted(set(ours.rows()) - set(known) - set(cases.WITHOUT))
    if rows:
        print("rows of the registry that nothing calls:", *rows)
    compared = sum(one["compared"] for one in comparison.tally.values())
    print(f"\n{compared} calls of {len(chosen)} functions compared with PyTorch {torch.__version__}: "
          f"{len(comparison.found)} unexplained differences, "
          f"{sum(comparison.reasons.values())} on purpose for {len(differences.KNOWN)} reasons")
    print("\nWhere we differ on purpose:")
    for number, one in enumerate(differences.KNOWN):
        print(f"  {comparison.reasons[number]:5}  {one.operators}: {one.reason}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"torch": torch.__version__, "seeds": options.seeds, "tally": comparison.tally,
                       "unexplained": [dataclasses.asdict(one) for one in comparison.found],
                       "reasons": [{"operators": one.operators, "reason": one.reason,
                                    "times": comparison.reasons[number]}
                                   for number, one in enumerate(differences.KNOWN)]}, file, indent=1)
    return 1 if comparison.found or stale or missing or rows else 0


if __name__ == "__main__":
    sys.exit(main())
