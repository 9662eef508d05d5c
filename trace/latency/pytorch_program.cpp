// The loops are written out for each operation, since a call of a Python function costs as much as
// what is measured. As in timeit, the collector of cycles is off.
#include "trace/latency/pytorch_program.h"

namespace notape::trace {

const char* const kPytorchProgram = R"python(
import gc, platform, sys, time
try:
    import torch
except Exception as error:
    print(f"missing\t{type(error).__name__}: {error}".replace("\n", " "), flush=True)
    sys.exit()
now, CHAIN = time.perf_counter_ns, 100

def add(a, b, calls):
    begin = now()
    for _ in range(calls):
        a + b
    return now() - begin

def mul(a, b, calls):
    begin = now()
    for _ in range(calls):
        a * b
    return now() - begin

def add_chain(t, b):
    for _ in range(CHAIN):
        t = t + b
    return t

def mul_chain(t, b):
    for _ in range(CHAIN):
        t = t * b
    return t

def backward(chain, g, b, gradient, calls):
    counted = 0
    for _ in range(calls):
        t = chain(g, b)
        begin = now()
        t.backward(gradient)
        t = None
        counted += now() - begin
    return counted

operands = {}
def of_size(n):
    if n not in operands:
        operands[n] = ([torch.ones(n) for _ in range(3)]
                       + [torch.ones(n, requires_grad=True) for _ in range(2)])
    return operands[n]

torch.set_num_threads(1)
gc.disable()
print(f"ready\tPyTorch {torch.__version__.split('+')[0]}, Python {platform.python_version()}", flush=True)
for line in sys.stdin:
    operation, work, size, calls = line.split()
    a, b, gradient, g, h = of_size(int(size))
    loop, chain = {"add": (add, add_chain), "mul": (mul, mul_chain)}[operation]
    if work == "tensor":
        ns = loop(a, b, int(calls))
    elif work == "differentiable":
        ns = loop(g, h, int(calls))
    else:
        ns = backward(chain, g, b, gradient, int(calls))
    print(ns, flush=True)
)python";

}  // namespace notape::trace
