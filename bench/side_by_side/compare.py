#!/usr/bin/env python3
"""Runs the same microbenchmarks with notape and with LibTorch, alternating, and prints both.

compare.py NOTAPE_PROGRAM TORCH_PROGRAM [--rounds N] [--record FILE]

Each round runs A B B A batches of at least a millisecond; a row shows the smallest time per call on
each side and the median over rounds of the ratio of minima, with its range.
"""
import argparse
import datetime
import math
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import whole_file


class Side:
    def __init__(self, program):
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment)
        self.calls = {}

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def cases(self):
        names = [self.ask("list")]
        while names[-1] != ".":
            names.append(self.process.stdout.readline().strip())
        return names[:-1]

    def batch(self, case):
        """Nanoseconds per call of one batch of at least a millisecond."""
        calls = self.calls.get(case, 1)
        while True:
            took = float(self.ask(f"{case}\t{calls}"))
            if took >= 1e6 or calls > 1 << 24:
                self.calls[case] = calls
                return took / calls
            calls *= 2


def measure(ours, theirs, case, rounds):
    ratios, best = [], [math.inf, math.inf]
    for side in (ours, theirs):
        side.batch(case)
    for _ in range(rounds):
        times = [ours.batch(case), theirs.batch(case), theirs.batch(case), ours.batch(case)]
        mine, other = min(times[0], times[3]), min(times[1], times[2])
        best = [min(best[0], mine), min(best[1], other)]
        ratios.append(other / mine)
    return {"name": case, "notape_ns": best[0], "torch_ns": best[1],
            "ratio_median": statistics.median(ratios), "ratio_min": min(ratios),
            "ratio_max": max(ratios)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("notape")
    parser.add_argument("torch")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--record", metavar="FILE")
    arguments = parser.parse_args()
    ours, theirs = Side(arguments.notape), Side(arguments.torch)
    rows = []
    print(f"{'case':42}{'notape ns':>12}{'LibTorch ns':>13}{'times faster':>14}{'range':>16}", flush=True)
    for case in ours.cases():
        row = measure(ours, theirs, case, arguments.rounds)
        rows.append(row)
        span = f"{row['ratio_min']:.2f}..{row['ratio_max']:.2f}"
        print(f"{case:42}{row['notape_ns']:12.0f}{row['torch_ns']:13.0f}"
              f"{row['ratio_median']:14.2f}{span:>16}", flush=True)
    small = [r["ratio_median"] for r in rows if "1M" not in r["name"] and "512" not in r["name"]]
    large = [r["ratio_median"] for r in rows if "1M" in r["name"] or "512" in r["name"]]
    for label, ratios in (("at most 64 elements", small), ("large", large)):
        mean = math.exp(statistics.mean(math.log(r) for r in ratios))
        print(f"geometric mean, {label}: {mean:.2f} times faster ({len(ratios)} cases)")
    if arguments.record:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            cpu = next((l.split(":", 1)[1].strip() for l in info if l.startswith("model name")), "")
        whole_file.write_json(arguments.record, {
            "command": "./run bench", "date": datetime.date.today().isoformat(), "cpu": cpu,
            "load": os.getloadavg()[0], "rounds": arguments.rounds, "libtorch": "Debian 1.13.1",
            "rows": rows})


if __name__ == "__main__":
    main()
