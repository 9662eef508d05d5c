#!/usr/bin/env python3
"""Times checks of reverse gradients: this project's against torch.autograd.gradcheck.

compare.py PROGRAM [--rounds N] [--record FILE]

One check: the reverse gradient of one operator at one input, in float64, against numeric
differentiation. Both sides check the same operators at the same inputs, on one thread. Ours is the
check 'reverse' of `notape verify` along random directions: of the function alone, and (referenced)
of the function with its formula in 113-bit arithmetic. Theirs is gradcheck with its defaults, which
compares whole Jacobians and lets relative errors up to 1e-3 pass, and with fast_mode, which compares
one projection; 'detectable' is the largest relative error that ours lets pass.

The last columns are about everything that `notape verify` asks of such a case (value, reverse,
forward mode, second order, layouts, subsets, ...): how many checks that are, and how many of them are
made in the time of one gradcheck.

Rounds run A B C D D C B A; times are processor time, so that other programs on the machine count
little; a row shows medians over rounds.
"""
import argparse
import datetime
import functools
import json
import os
import statistics
import subprocess
import sys
import time

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import whole_file

SHORTEST_BATCH_NS = 2e7


class Ours:
    def __init__(self, program):
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def cases(self):
        names = [self.ask("list")]
        while names[-1] != ".":
            names.append(self.process.stdout.readline().strip())
        return names[:-1]

    def inputs(self, case):
        return [torch.tensor(one["values"], dtype=torch.float64).reshape(one["sizes"])
                .requires_grad_() for one in json.loads(self.ask(f"inputs {case}"))]

    def time(self, case, checks):
        return float(self.ask(f"time {case} {checks}"))

    def time_all(self, case, rounds):
        return float(self.ask(f"time_all {case} {rounds}"))


def time_gradcheck(function, inputs, fast, checks):
    start = time.process_time_ns()
    for _ in range(checks):
        if not torch.autograd.gradcheck(function, inputs, fast_mode=fast):
            raise SystemExit("gradcheck does not pass")
    return time.process_time_ns() - start


def batch(measure, counts, key):
    """Nanoseconds per check of a batch long enough for the clock."""
    while True:
        took = measure(counts.setdefault(key, 1))
        if took >= SHORTEST_BATCH_NS:
            return took / counts[key]
        counts[key] *= 2


def measure(ours, case, rounds):
    function = getattr(torch, case.split("_")[0])
    inputs = ours.inputs(case)
    sides = {"notape": functools.partial(ours.time, case),
             "all_checks": functools.partial(ours.time_all, case),
             "gradcheck": functools.partial(time_gradcheck, function, inputs, False),
             "fast_mode": functools.partial(time_gradcheck, function, inputs, True)}
    counts, times = {}, {name: [] for name in sides}
    for name, side in sides.items():
        batch(side, counts, name)  # warms up
    for _ in range(rounds):
        for name in [*sides, *reversed(sides)]:
            times[name].append(batch(sides[name], counts, name))
    row = {"name": case, "entries": sum(one.numel() for one in inputs),
           "detectable": float(ours.ask(f"power {case}")), "checks": int(ours.ask(f"checks {case}"))}
    row.update({f"{name}_us": statistics.median(some) / 1e3 for name, some in times.items()})
    for name in ("gradcheck", "fast_mode"):
        row[f"times_{name}"] = row[f"{name}_us"] / row["notape_us"]
    row["checks_per_gradcheck"] = row["checks"] * row["gradcheck_us"] / row["all_checks_us"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", metavar="FILE")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    ours, rows = Ours(arguments.program), []
    print(f"{'case':24}{'notape us':>11}{'gradcheck us':>14}{'fast_mode us':>14}"
          f"{'times faster':>14}{'than fast':>11}{'detectable':>12}{'checks':>8}"
          f"{'per gradcheck':>15}", flush=True)
    for case in ours.cases():
        row = measure(ours, case, arguments.rounds)
        rows.append(row)
        print(f"{case:24}{row['notape_us']:11.1f}{row['gradcheck_us']:14.1f}"
              f"{row['fast_mode_us']:14.1f}{row['times_gradcheck']:14.1f}"
              f"{row['times_fast_mode']:11.1f}"
              f"{row['detectable']:12.0e}{row['checks']:8}{row['checks_per_gradcheck']:15.1f}",
              flush=True)
    kinds = {"alone": [row for row in rows if "referenced" not in row["name"]],
             "referenced": [row for row in rows if "referenced" in row["name"]]}
    means = {f"geometric_mean_{kind}_{name}": statistics.geometric_mean([row[f"times_{name}"] for row in some])
             for kind, some in kinds.items() for name in ("gradcheck", "fast_mode")}
    for kind, some in kinds.items():
        means[f"geometric_mean_{kind}_checks_per_gradcheck"] = statistics.geometric_mean(
            [row["checks_per_gradcheck"] for row in some])
    for name, mean in means.items():
        print(f"{name.replace('_', ' ')}: {mean:.1f}")
    if arguments.record:
        whole_file.write_json(arguments.record, {
            "command": "./run bench", "date": datetime.date.today().isoformat(),
            "openblas": whole_file.openblas(arguments.program),
            "load": os.getloadavg()[0], "rounds": arguments.rounds,
            "clock": "processor time of the process, user and system",
            "torch": torch.__version__, **means, "rows": rows})


if __name__ == "__main__":
    main()
