#!/usr/bin/env python3
"""Measures what models need of memory with notape and with LibTorch, and prints all.

compare.py NOTAPE_PROGRAM NAME=TORCH_PROGRAM... [--record FILE]

The programs count what is asked of malloc and its relatives (live_bytes.h), in one thread: the peak over forward and
backward, what the forward keeps, what is left. No number depends on the machine's load.
"""
import argparse
import datetime
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import whole_file


def measure(program):
    """{block: (peak, kept, left)} of all blocks, each in a process of its own."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", NOTAPE_NUM_THREADS="1")
    blocks = {}
    while True:
        run = subprocess.run([program, str(len(blocks))], stdout=subprocess.PIPE, text=True, env=environment)
        if run.returncode == 1 and not run.stdout:
            return blocks
        if run.returncode != 0:
            sys.exit(f"compare.py: {program} {len(blocks)} ended with {run.returncode}")
        name, *numbers = run.stdout.strip().split("\t")
        blocks[name] = tuple(map(int, numbers))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("notape")
    parser.add_argument("torch", nargs="*", metavar="NAME=PROGRAM")
    parser.add_argument("--record", metavar="FILE")
    arguments = parser.parse_args()
    programs = {"notape": arguments.notape, **dict(pair.split("=", 1) for pair in arguments.torch)}
    measured = {name: measure(program) for name, program in programs.items()}
    rows = []
    print(f"{'MB: peak, kept, left':36}" + "".join(f"{name:>26}" for name in programs))
    for block in measured["notape"]:
        of_block = {name: measured[name][block] for name in programs}
        print(f"{block:36}" + "".join("{:>26}".format("{:.1f} {:.1f} {:.1f}".format(*(n / 1e6 for n in numbers)))
                                      for numbers in of_block.values()))
        rows.append({"name": block,
                     **{kind: {name: numbers[i] for name, numbers in of_block.items()}
                        for i, kind in enumerate(("peak_bytes", "kept_bytes", "left_bytes"))}})
    if arguments.record:
        whole_file.write_json(arguments.record, {
            "command": "./run bench", "date": datetime.date.today().isoformat(), "threads": 1,
            "libraries": list(programs), "rows": rows})


if __name__ == "__main__":
    main()
