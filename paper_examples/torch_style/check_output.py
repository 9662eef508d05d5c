#!/usr/bin/env python3
"""check_output.py PROGRAM EXPECTED: runs a program and compares what it prints line by line."""
import difflib
import subprocess
import sys


def main(program, expected_file):
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False)
    with open(expected_file, encoding="utf-8") as file:
        expected = file.read()
    for line in difflib.unified_diff(expected.splitlines(), run.stdout.splitlines(),
                                     "expected", "printed", lineterm=""):
        print(line)
    if run.returncode != 0:
        print(f"{program} ended with {run.returncode}")
    return 0 if run.returncode == 0 and run.stdout == expected else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
