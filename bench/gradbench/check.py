#!/usr/bin/env python3
"""Runs a program on recorded inputs, and compares what it prints with what they should give.

    check.py PROGRAM CASES.jsonl     a case a line: {"name", "function", "input", "output"}
"""

import json
import subprocess
import sys
import tempfile

TOLERANCE = 1e-4  # GradBench's


def difference(wanted, found, where="output"):
    """What is not as wanted, in words; None if all is."""
    if isinstance(wanted, dict):
        if not isinstance(found, dict) or wanted.keys() != found.keys():
            return f"{where} has other keys"
        return next(filter(None, (difference(wanted[key], found[key], f"{where}.{key}") for key in wanted)), None)
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(wanted) != len(found):
            return f"{where} has another length"
        return next(filter(None, (difference(w, f, f"{where}[{i}]") for i, (w, f) in enumerate(zip(wanted, found)))),
                    None)
    if not isinstance(found, (int, float)) or isinstance(wanted, int) and isinstance(found, int) and wanted != found \
            or not abs(wanted - found) <= TOLERANCE * max(1, abs(wanted) + abs(found)):
        return f"{where} is {found}, wanted is {wanted}"
    return None


def main():
    program, cases = sys.argv[1:]
    failures = 0
    with open(cases, encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(case["input"], file)
                file.flush()
                done = subprocess.run([program, file.name, case["function"]], capture_output=True, text=True)
            printed = done.stdout.splitlines()
            if done.returncode or len(printed) < 2 or not all(line.isdigit() for line in printed[1:]):
                problem = f"status {done.returncode}, {done.stderr.strip() or 'no output and times'}"
            else:
                problem = difference(case["output"], json.loads(printed[0]))
            failures += problem is not None
            print(f"{case['name']} {case['function']}: {problem or 'right'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
