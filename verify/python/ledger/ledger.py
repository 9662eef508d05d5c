#!/usr/bin/env python3
"""Runs the programs of findings.py, judges each by mpmath, and writes verify/LEDGER.md:

    python3 verify/python/ledger/ledger.py [--write verify/LEDGER.md] [NAME...]

A program that gives the right value with the versions installed here is not in the ledger, and is named. Each runs in a
process of its own."""
import argparse
import concurrent.futures
import importlib.metadata
import math
import subprocess
import sys

import mpmath as mp

from findings import FINDINGS

mp.mp.dps = 60
WRONG = 1e-3  # relative; smaller errors are rounding


def outcome(one):
    """(what the program prints, the right value, whether it is wrong)"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", one["program"]], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{one['name']}: its program fails\n{done.stderr[-500:]}")
    got, right = float(done.stdout.strip().splitlines()[-1]), mp.mpf(eval(one["judge"], {"mp": mp, "sum": sum}))
    if math.isnan(got) or math.isinf(got):
        return got, right, True
    if right != 0 and abs(right) < mp.mpf("1e-307"):
        raise SystemExit(f"{one['name']}: the right value is no normal number")
    return got, right, abs(mp.mpf(got) - right) > WRONG * (abs(right) or mp.mpf("1e-3"))


def entry(number, one, got, right):
    return (f"### {number}. {one['library']}: `{one['name']}`, {one['mode']}\n\n```python\n{one['program']}```\n\n"
            f"prints **{got!r}**. Right is **{mp.nstr(right, 12)}**: {one['reason']}. Judged by `{one['judge']}`. "
            f"Known: {one['known']}.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write")
    arguments = parser.parse_args()
    entries, right_ones = [], []
    chosen = [one for one in FINDINGS if not arguments.names or any(name in one["name"] for name in arguments.names)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(outcome, chosen))
    for one, (got, right, is_wrong) in zip(chosen, outcomes):
        print("wrong" if is_wrong else "RIGHT", one["library"], one["name"], one["mode"], got, mp.nstr(right, 12), flush=True)
        if is_wrong:
            entries.append((one, got, right))
        else:
            right_ones.append(f"{one['library']} `{one['name']}`, {one['mode']}")
    new, open_ones = (sum(one["known"] == word for one, _, _ in entries) for word in ("none found", "not searched"))
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("torch", "jax", "mpmath"))
    print(f"{len(entries)} wrong, {new} of them without a public report that a search found, {open_ones} not searched; {len(right_ones)} right")
    if arguments.write:
        text = [f"# Ledger of wrong derivatives\n\nMade by `verify/python/ledger/ledger.py --write verify/LEDGER.md` with {versions}, on a CPU. {len(entries)} "
                f"findings: for {new} a search for the operator and the symptom found no public report, {open_ones} were not searched. Each program needs neither notape nor "
                "anything else of this repository. Each right value has a second source: a formula in 60 digits that shares nothing with the library. "
                "Entries are the operator and the mode of differentiation: some have a cause in common, which `Known` says.\n\nLeft out are conventions at "
                "kinks and ties, results that saturate, differences below 1e-3, results that are random, and undocumented arguments.\n"]
        text += [entry(k + 1, *one) for k, one in enumerate(entries)]
        if right_ones:
            text.append("Right with these versions: " + "; ".join(right_ones) + ".\n")
        with open(arguments.write, "w", encoding="utf-8") as out:
            out.write("\n".join(text))


if __name__ == "__main__":
    main()
