#!/usr/bin/env python3
"""What check() costs: 200 tests on two cores, the import, and 10,000 calls that must not leak.

    bench/python_cost/measure.py [--calls 10000] [--record bench/results/python_cost.json]"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LEAK = """
import resource, sys, torch
from notape.verify import check
x = torch.tensor([0.5, -1.5], dtype=torch.float64)
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]
def kilobytes():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
calls = int(sys.argv[1])
seen = []
for k in range(calls):
    assert check(Square.apply, x, samples=1, order=1, long=False)
    if k % (calls // 10) == calls // 10 - 1:
        seen.append(kilobytes())
print(*seen)
"""


def run(*command, **more):
    start = time.perf_counter()
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, **more)
    after = os.times()
    if done.returncode:
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return done.stdout, time.perf_counter() - start, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10000)
    parser.add_argument("--record")
    arguments = parser.parse_args()
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    said, seconds, cpu = run(sys.executable, "-m", "pytest", "-q", "-n2", "-p", "no:cacheprovider", "-W", "ignore",
                             "-p", "notape.verify.pytest_plugin", os.path.join(HERE, "typical_test.py"), env=environment)
    found = {"schema": "notape.python-cost/1", "tests": int(re.search(r"(\d+) passed", said)[1]), "processes": 2,
             "seconds": round(seconds, 1), "cpu_seconds": round(cpu, 1), "load": round(os.getloadavg()[0], 1)}
    code = "import time; start = time.perf_counter(); import notape.verify; print(time.perf_counter() - start)"
    found["import_milliseconds"] = round(1e3 * min(float(run(sys.executable, "-c", code)[0]) for _ in range(5)), 1)
    said, seconds, cpu = run(sys.executable, "-c", LEAK, str(arguments.calls), env=environment)
    found.update(calls=arguments.calls, kilobytes_after_each_tenth=[int(one) for one in said.split()],
                 cpu_milliseconds_a_call=round(1e3 * cpu / arguments.calls, 2))
    print(json.dumps(found, indent=1))
    if arguments.record:
        with open(arguments.record, "w", encoding="utf-8") as out:
            json.dump(found, out, indent=1)
            out.write("\n")
    grown = found["kilobytes_after_each_tenth"][-1] - found["kilobytes_after_each_tenth"][1]
    return 0 if found["cpu_seconds"] < 120 and grown < 4096 else 1


if __name__ == "__main__":
    sys.exit(main())
