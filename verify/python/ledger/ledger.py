#!/usr/bin/env python3
"""Runs the programs of findings.py, judges each by mpmath, and writes verify/LEDGER.md:

    python3 verify/python/ledger/ledger.py [--write verify/LEDGER.md] [NAME...]

A program that gives the right value with the versions installed here is not in the ledger, and is named. Then check() of
notape.verify is asked, which has to be installed. Suspicions come from sweep.py."""
import argparse
import importlib.metadata
import json
import math
import os
import subprocess
import sys

import mpmath as mp

from certificate import certificate
from findings import FINDINGS

mp.mp.dps = 60
SWEEP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench/results/derivative_sweep.json")
WRONG = 1e-3  # relative; smaller errors are rounding


DRIVER = """
import contextlib, io, json, sys
for program in json.load(sys.stdin):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(program, {})
    print(json.dumps(said.getvalue()), flush=True)
"""


def printed(findings):
    """What each program prints: those of a library one after the other in a process, which imports nothing else."""
    said = {}
    for library in {one["library"]: 0 for one in findings}:
        own = [one["program"] for one in findings if one["library"] == library]
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", DRIVER], input=json.dumps(own), capture_output=True, text=True)
        lines = done.stdout.splitlines()
        if done.returncode:
            raise SystemExit(f"this program fails:\n{own[len(lines)]}\n{done.stderr[-500:]}")
        said.update(zip(own, map(json.loads, lines)))
    return said


def outcome(one, said):
    """(what the program prints, the right value, whether it is wrong)"""
    got, right = float(said.strip().splitlines()[-1]), mp.mpf(eval(one["judge"], {"mp": mp, "sum": sum}))
    if math.isnan(got) or math.isinf(got):
        return got, right, True
    if right != 0 and abs(right) < mp.mpf("1e-307"):
        raise SystemExit(f"{one['name']}: the right value is no normal number")
    return got, right, abs(mp.mpf(got) - right) > WRONG * (abs(right) or mp.mpf("1e-3"))


def entry(number, one, got, right, says):
    return (f"### {number}. {one['library']}: `{one['name']}`, {one['mode']}\n\n```python\n{one['program']}```\n\n"
            f"prints **{got!r}**. Right is **{mp.nstr(right, 12)}**: {one['reason']}. Judged by `{one['judge']}`. "
            f"`check`: {says}. Known: {one['known']}.\n")


def swept():
    """How far sweep.py --counts says that it has come."""
    with open(SWEEP, encoding="utf-8") as counts:
        return " ".join(f"Of {one['operators']} operators of {name} a first pass of `sweep.py --quick` has reached {one['reached']} and asked {one['asked']}, in "
                        f"{one['questions']} questions; {one['without_suspicion']} of these raised no suspicion." for name, one in json.load(counts).items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write")
    arguments = parser.parse_args()
    entries, right_ones = [], []
    chosen = [one for one in FINDINGS if not arguments.names or any(name in one["name"] for name in arguments.names)]
    said = printed(chosen)
    for one in chosen:
        got, right, is_wrong = outcome(one, said[one["program"]])
        print("wrong" if is_wrong else "RIGHT", one["library"], one["name"], one["mode"], got, mp.nstr(right, 12), flush=True)
        if is_wrong:
            entries.append((one, got, right, certificate(one)))
            print(" ", entries[-1][3], flush=True)
        else:
            right_ones.append(f"{one['library']} `{one['name']}`, {one['mode']}")
    new, open_ones = (sum(one["known"].startswith(word) for one, *_ in entries) for word in ("none found", "not searched"))
    seen = sum(says.startswith(("FAIL", "NONFINITE", "REJECTED")) for *_, says in entries)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("torch", "jax", "liger-kernel", "triton", "mpmath"))
    print(f"{len(entries)} wrong, {new} of them without a public report that a search found, {open_ones} not searched; check() calls {seen} wrong; {len(right_ones)} right")
    if arguments.write:
        text = [f"# Ledger of wrong derivatives\n\nMade by `verify/python/ledger/ledger.py --write verify/LEDGER.md` with {versions}, on a CPU. {len(entries)} "
                f"findings: for {new} a search for the operator and the symptom found no public report, {open_ones} were not searched. `check` of notape.verify, asked for "
                f"the function of the program at its point, calls {seen} of them wrong. Of the others nearly all are UNRESOLVED: the values hardly move there. Its numbers are those along a direction, for an incoming gradient of its own. Each program needs neither notape nor "
                "anything else of this repository. Each right value has a second source: a formula in 60 digits that shares nothing with the library. "
                "Entries are the operator and the mode of differentiation: some have a cause in common, which `Known` says.\n\n" + swept() + "\n\nLeft out are conventions at "
                "kinks and ties, results that saturate, differences below 1e-3, results that are random, and undocumented arguments.\n"]
        text += [entry(k + 1, *one) for k, one in enumerate(entries)]
        if right_ones:
            text.append("Right with these versions: " + "; ".join(right_ones) + ".\n")
        with open(arguments.write, "w", encoding="utf-8") as out:
            out.write("\n".join(text))


if __name__ == "__main__":
    main()
