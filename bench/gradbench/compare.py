#!/usr/bin/env python3
"""Measures GradBench's evaluations beside other ways to compute them, and prints a table.

    compare.py build/bin/gradbench [EVAL...] [--python PYTHON] [--rounds 3] [--min-seconds 1] [--record FILE]

Peers are programs by hand (by_hand/), and PyTorch and JAX where PYTHON has them (peers.py). All get the same inputs
(inputs.py) and one thread, take turns, and must agree. A ratio is ours over theirs of the summed mean times of a run,
as GradBench scores, the median of the rounds; below 1 notape is faster.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(__file__), "..")]
import check
import inputs
import whole_file

HERE = os.path.dirname(os.path.abspath(__file__))
OF_PYTHON = ("gmm", "lstm", "kmeans", "lse", "llsq", "ode")
GOALS = {("gmm", "torch"): 0.5, ("gmm", "by hand"): 0.6, ("lstm", "torch"): 0.02, ("kmeans", "jax"): 0.75,
         ("lse", "torch"): 0.7, ("ode", "jax"): 1.0, ("llsq", "by hand"): 0.5, ("ba", "by hand"): 1.3}


def peers(evaluation, bin_folder, python):
    """Name -> command line, without input and function."""
    found = {"notape": [os.path.join(bin_folder, evaluation)]}
    if os.path.exists(os.path.join(bin_folder, "by_hand", evaluation)):
        found["by hand"] = [os.path.join(bin_folder, "by_hand", evaluation)]
    for library in ("torch", "jax"):
        if python and evaluation in OF_PYTHON and \
                subprocess.run([python, "-c", f"import {library}"], capture_output=True).returncode == 0:
            found[library] = [python, os.path.join(HERE, "peers.py"), library, evaluation]
    return found


def run(command, path, function, timeout):
    """Output and the mean milliseconds of a run; None, None if it fails or takes too long."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    try:
        done = subprocess.run([*command, path, function], capture_output=True, text=True, env=environment,
                              timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, None
    if done.returncode:
        print(done.stderr[-500:], file=sys.stderr)
        return None, None
    output, *times = done.stdout.splitlines()
    return json.loads(output), statistics.mean(map(int, times)) / 1e6


def flat(value):
    return [number for part in value for number in flat(part)] if isinstance(value, list) else [value]


def comparable(output):
    """Gradients of PyTorch and JAX may come as other lists of the same numbers."""
    return {k: flat(v) for k, v in output.items()} if isinstance(output, dict) else flat(output)


def measure(evaluation, commands, arguments):
    """Of each side the summed milliseconds of each round; sides that fail or disagree are left out."""
    totals = {side: [0.0] * arguments.rounds for side in commands}
    with tempfile.TemporaryDirectory() as folder:
        for name, given in inputs.inputs(evaluation):
            if isinstance(given, dict):
                given.update(min_runs=1, min_seconds=arguments.min_seconds)
            path = os.path.join(folder, "input.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(given, file)
            for function in inputs.RUNS[evaluation][0]:
                for turn in range(arguments.rounds):
                    ours = None
                    for side in list(totals):
                        output, mean = run(commands[side], path, function, arguments.timeout)
                        ours = output if side == "notape" else ours
                        if mean is None or check.difference(comparable(ours), comparable(output)):
                            print(f"{evaluation} {name} {function}: {side} fails, takes too long or disagrees",
                                  file=sys.stderr)
                            del totals[side]
                        else:
                            totals[side][turn] += mean
    return totals


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("evaluations", nargs="*", metavar="EVAL")
    parser.add_argument("--python", help="one that has PyTorch or JAX")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--min-seconds", type=float, default=1)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one call")
    parser.add_argument("--record", metavar="FILE")
    arguments = parser.parse_args()
    rows = []
    print("| evaluation | notape ms | peer | ratio | of all rounds | goal |\n|---|---|---|---|---|---|")
    for evaluation in arguments.evaluations or inputs.RUNS:
        totals = measure(evaluation, peers(evaluation, arguments.bin, arguments.python), arguments)
        if "notape" not in totals:
            continue
        ours = totals.pop("notape")
        if not totals:
            print(f"| {evaluation} | {statistics.median(ours):.3g} | | | | |", flush=True)
        for side, theirs in totals.items():
            ratios = [a / b for a, b in zip(ours, theirs)]
            print(f"| {evaluation} | {statistics.median(ours):.3g} | {side} | {statistics.median(ratios):.2g} | "
                  f"{min(ratios):.2g} to {max(ratios):.2g} | {GOALS.get((evaluation, side), '')} |", flush=True)
        rows.append({"name": evaluation, "notape_ms": ours, "peers_ms": totals})
    if arguments.record:
        whole_file.write_json(arguments.record, {
            "command": "bench/gradbench/compare.py", "date": datetime.date.today().isoformat(),
            "openblas": whole_file.openblas(os.path.dirname(arguments.bin.rstrip("/")) + "/x"), "load": os.getloadavg()[0],
            "rounds": arguments.rounds, "min_seconds": arguments.min_seconds, "rows": rows})


if __name__ == "__main__":
    main()
