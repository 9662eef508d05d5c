#!/usr/bin/env python3
"""A public header in a language it is not made for is one #error line that says what to do.

    cmake/language_test.py COMPILER ROOT [HEADER...]
"""

import subprocess
import sys

HEADERS = ["notape/notape.h", "notape/verify.h", "notape/compat/torch/torch.h", "autograd/autograd.h",
           "autograd/tensor/tensor.h", "autograd/error.h", "autograd/function.h",
           "autograd/interchange/npy.h", "ops/ops.h", "verify/gradcheck.h", "verify/gtest.h",
           "verify/plugin/plugin.h", "verify/plugin/operator.h", "verify/plugin/dual.h",
           "trace/record/recorder.h", "notape/trace.h", "notape/nn.h"]
WANTED = "error: \"notape needs C++20: compile with -std=c++20 or newer\""


def complaint(compiler, root, header):
    """None if the header says what it should in C++17."""
    command = [compiler, "-std=c++17", "-fsyntax-only", "-x", "c++", "-", f"-I{root}",
               *(f"-I{root}/{room}/include" for room in ("ops", "verify", "trace", "paper_examples"))]
    run = subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True)
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    if run.returncode == 0:
        return "was compiled"
    if not errors or not errors[0].replace("#error ", "").endswith(WANTED):
        return f"begins with {errors[:1] or run.stderr[:200]}"
    # The compiler's own last word: that it stops.
    if len(errors) > 2 or (len(errors) == 2 and "fatal error:" not in errors[1]):
        return f"goes on with {errors[1]}"
    return None


def main():
    compiler, root = sys.argv[1:3]
    headers = sys.argv[3:] or HEADERS
    wrong = 0
    for header in headers:
        why = complaint(compiler, root, header)
        if why:
            print(f"{header}: {why}")
        wrong += why is not None
    print(f"{len(headers)} headers in C++17, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
