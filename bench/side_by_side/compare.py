#!/usr/bin/env python3
"""Runs the same microbenchmarks with notape and with LibTorch, alternating, and prints all.

compare.py NOTAPE_PROGRAM NAME=TORCH_PROGRAM... [--only PATTERN] [--threads N] [--rounds N] [--record FILE]

Where NOTAPE_ISA=avx2 keeps notape to AVX2, the others are kept to it, too. Beside FILE, machines.json has a row for each
processor, instructions and threads: what is recorded replaces that of the same.

Each round runs batches of at least a millisecond forwards and then backwards through the programs; a
row shows the smallest time per call of each and the median over rounds of the ratios of minima.
"""
import argparse
import datetime
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import whole_file

class Side:
    def __init__(self, program, threads):
        environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
        if os.environ.get("NOTAPE_ISA") == "avx2":
            environment.update(ATEN_CPU_CAPABILITY="avx2", MKL_ENABLE_INSTRUCTIONS="AVX2",
                               ONEDNN_MAX_CPU_ISA="AVX2", OPENBLAS_CORETYPE="Haswell")
        self.process = subprocess.Popen([program, str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)
        self.calls = {}
        self.threads = threads

    def answer(self):
        line = self.process.stdout.readline().strip()
        if not line:
            sys.exit(f"compare.py: {self.process.args[0]} has ended")
        return line

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer()

    def cases(self):
        names = [self.ask("list")]
        while names[-1] != ".":
            names.append(self.answer())
        return names[:-1]

    def batch(self, case):
        """Nanoseconds per call of one batch of at least a millisecond."""
        calls = self.calls.get(case, 1)
        if self.threads > 1:
            # The other program's threads wait awake for some milliseconds, on our processors, and
            # our own sleep by now.
            time.sleep(0.03)
            self.ask(f"{case}\t{calls}")
        while True:
            took = float(self.ask(f"{case}\t{calls}"))
            if took >= 1e6 or calls > 1 << 24:
                self.calls[case] = calls
                return took / calls
            calls *= 2


def measure(sides, case, rounds):
    """Nanoseconds of each side, and for each but the first the median, least, greatest ratio."""
    times = [[] for _ in sides]
    for side in sides:
        side.batch(case)
    for _ in range(rounds):
        there = [side.batch(case) for side in sides]
        back = [side.batch(case) for side in reversed(sides)][::-1]
        for place, both in enumerate(zip(there, back)):
            times[place].append(min(both))
    ratios = [[other / mine for mine, other in zip(times[0], theirs)] for theirs in times[1:]]
    return ([min(of_side) for of_side in times],
            [(statistics.median(of_side), min(of_side), max(of_side)) for of_side in ratios])


def figures(rows, names):
    """Geometric means over small and large rows, beside each library, and how many were slower than the faster of all."""
    of = {}
    for label in ("short", "long"):
        chosen = [row for row in rows if row["kind"] == label]
        if chosen:
            of[label] = {"cases": len(chosen),
                         "times_faster": {n: round(statistics.geometric_mean([r["ratio_median"][n] for r in chosen]), 2)
                                          for n in names},
                         "slower": sum(min(r["ratio_median"].values()) < 1 for r in chosen)}
    return of


def summary(of):
    return [f"{f['cases']} {label} cases: times faster, geometric mean "
            + ", ".join(f"{mean:.2f} ({name})" for name, mean in f["times_faster"].items())
            + f"; {f['slower']} slower than the faster of them" for label, f in of.items()]


def note_machine(path, row):
    """Writes the row instead of that of the same machine."""
    def machine(one):
        return [one[key] for key in ("cpu", "model", "vectors", "threads")]
    rows = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["rows"]
    rows = sorted([one for one in rows if machine(one) != machine(row)] + [row], key=machine)
    whole_file.write_json(path, {"command": "./run bench", "rows": rows})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("notape")
    parser.add_argument("torch", nargs="+", metavar="NAME=PROGRAM")
    parser.add_argument("--only", default="*", metavar="PATTERN")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--record", metavar="FILE")
    arguments = parser.parse_args()
    others = dict(pair.split("=", 1) for pair in arguments.torch)
    sides = [Side(program, arguments.threads) for program in (arguments.notape, *others.values())]
    kinds = dict(reversed(line.split("\t")) for line in sides[0].cases())
    cases = [case for case in kinds if fnmatch.fnmatch(case, arguments.only)]
    heads = "".join(f"{name + ' ns':>16}{'faster':>8}{'range':>14}" for name in others)
    print(f"{'case':56}{'notape ns':>12}{heads}", flush=True)
    rows = []
    for case in cases:
        nanoseconds, ratios = measure(sides, case, arguments.rounds)
        rows.append({"name": case, "kind": kinds[case], "notape_ns": nanoseconds[0],
                     "torch_ns": dict(zip(others, nanoseconds[1:])),
                     "ratio_median": dict(zip(others, (r[0] for r in ratios))),
                     "ratio_range": dict(zip(others, (r[1:] for r in ratios)))})
        columns = "".join(f"{ns:16.0f}{median:8.2f}{f'{least:.2f}..{most:.2f}':>14}"
                          for ns, (median, least, most) in zip(nanoseconds[1:], ratios))
        print(f"{case:56}{nanoseconds[0]:12.0f}{columns}", flush=True)
    of = figures(rows, list(others))
    lines = summary(of)
    print("\n".join(lines))
    if arguments.record:
        told = {"date": datetime.date.today().isoformat(), "openblas": whole_file.openblas(arguments.notape),
                "vectors": whole_file.version_line(arguments.notape, "Vectors"),
                "load": os.getloadavg()[0], "rounds": arguments.rounds, "threads": arguments.threads}
        whole_file.write_json(arguments.record, {
            "command": "./run bench", **told, "libraries": list(others), "summary": lines, "rows": rows})
        if arguments.only == "*":
            note_machine(os.path.join(os.path.dirname(arguments.record), "machines.json"),
                         {"cpu": whole_file.cpu_model(), "model": whole_file.cpu_family(), **told, **of})


if __name__ == "__main__":
    main()
