#!/usr/bin/env python3
"""Checks the core's cost per operation: instructions (callgrind) and allocations (counted).

check_gates.py PROGRAM [--record FILE] [--baseline FILE] [--times]

Prints a table and fails if a gate is exceeded, if allocations grow between two counts, or if a row
needs over 3 % more instructions than the baseline file says for the same compiler and CPU model.
With --times the fastest batch is held to the nanoseconds that are gated, on a machine with nothing else to
do; those that are too slow are timed again before they are said to be.
"""
import argparse
import datetime
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import whole_file

GROWTH = 1.03
ATTEMPTS = 5


def instructions(program):
    """Total instructions per case name, from one callgrind run."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        subprocess.run(
            ["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no",
             f"--callgrind-out-file={out}", program],
            check=True, stdout=subprocess.DEVNULL,
            env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
        totals = {}
        for path in glob.glob(out + ".*"):
            text = open(path, encoding="utf-8").read()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
            if name and total:
                totals[name.group(1)] = int(total.group(1))
        return totals


def timed(program):
    return json.loads(subprocess.run(
        [program], check=True, capture_output=True, text=True,
        env=dict(os.environ, OPENBLAS_NUM_THREADS="1")).stdout)


def is_slow(row):
    return row["max_ns"] and row["ns_min"] > row["max_ns"]


def measure(program, holds_times):
    rows = timed(program)
    for _ in range(1, ATTEMPTS):
        if not holds_times or not any(map(is_slow, rows)):
            break
        for row, again in zip(rows, timed(program)):
            if is_slow(row):
                row.update({key: min(row[key], again[key]) for key in ("ns_min", "ns_median")})
    totals = instructions(program)
    for row in rows:
        row["instructions"] = float(f"{totals[row['name']] / row['calls'] / row['operations']:.5g}")
    return rows


def compiler():
    return subprocess.run(["c++", "--version"], capture_output=True, text=True).stdout.split("\n")[0]


def failures(rows, baseline, holds_times):
    known = {}
    if baseline and (baseline.get("compiler"), baseline.get("cpu")) == (compiler(), whole_file.cpu_model()):
        known = {row["name"]: row["instructions"] for row in baseline["rows"]}
    for row in rows:
        name = row["name"]
        if row["max_instructions"] and row["instructions"] > row["max_instructions"]:
            yield f"{name}: {row['instructions']} instructions, the gate is {row['max_instructions']}"
        if holds_times and is_slow(row):
            yield f"{name}: {row['ns_min']} ns, the gate is {row['max_ns']}"
        worst = max(row["allocations"], row["allocations_later"])
        if worst > row["max_allocations"]:
            yield f"{name}: {worst} allocations, the gate is {row['max_allocations']}"
        if row["allocations_later"] > row["allocations"]:
            yield f"{name}: allocations grew from {row['allocations']} to {row['allocations_later']}"
        if name in known and row["instructions"] > GROWTH * known[name]:
            yield f"{name}: {row['instructions']} instructions, 3 % above the recorded {known[name]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--record", metavar="FILE", help="write the measurement as JSON")
    parser.add_argument("--baseline", metavar="FILE", help="a recorded measurement to compare with")
    parser.add_argument("--times", action="store_true", help="hold the gates on nanoseconds, too")
    arguments = parser.parse_args()
    rows = measure(arguments.program, arguments.times)
    print(f"{'per operation':44}{'instr':>9}{'gate':>7}{'allocs':>9}{'gate':>6}{'ns min':>9}{'gate':>6}{'median':>8}")
    for row in rows:
        gate = f"{row['max_instructions']:.0f}" if row["max_instructions"] else "-"
        ns_gate = f"{row['max_ns']:.0f}" if row["max_ns"] else "-"
        print(f"{row['name']:44}{row['instructions']:9.0f}{gate:>7}{row['allocations']:9.2f}"
              f"{row['max_allocations']:6g}{row['ns_min']:9.0f}{ns_gate:>6}{row['ns_median']:8.0f}")
    if arguments.record:
        whole_file.write_json(arguments.record, {
            "command": "bench/gates/check_gates.py build/bin/notape_gates --record " +
                       os.path.relpath(arguments.record),
            "date": datetime.date.today().isoformat(), "compiler": compiler(),
            "openblas": whole_file.openblas(arguments.program),
            "load": os.getloadavg()[0], "rows": rows})
    baseline = None
    if arguments.baseline and os.path.exists(arguments.baseline):
        with open(arguments.baseline, encoding="utf-8") as recorded:
            baseline = json.load(recorded)
    problems = list(failures(rows, baseline, arguments.times))
    for problem in problems:
        print("gate exceeded:", problem, file=sys.stderr)
    print(f"{len(rows)} cases, {len(problems)} gates exceeded")
    return 1 if problems or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
