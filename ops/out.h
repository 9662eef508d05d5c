// The out forms: exp_out(out, self) writes exp(self) into `out` and returns it; of functions with
// several results, max_out(max, max_values, self, dim). Names, argument order and defaults are
// LibTorch's. add_out, sub_out, mul_out and div_out stand in ops/elementwise.h.
//
// All results are computed first and then copied: out may share memory with an argument, and no
// memory traffic is saved. Nothing changes unless all is well, with every out:
// - OutRequiresGrad: grad mode is on and an argument or an out requires grad.
// - ForwardNotImplemented: one has a tangent. UndefinedTensor: an out is undefined.
// - DtypeError: out's dtype does not take the result. Each group says which do, as in LibTorch:
//   "converted", as by copy_, if the result's category (bool < integer < floating) is no higher
//   than out's; "exactly", the same dtype alone.
// - DeviceError: out is on another device than the result.
// - MemoryOverlap: out shows a memory cell twice, or two outs share one (LibTorch: of aminmax_out
//   alone).
// - ReadOnlyWrite, InferenceTensorError and the like, as copy_, whose write it is: out's version
//   rises. An out with gaps keeps its strides.
// - An out of another shape is resized, with a warning if it had elements. AliasedInPlace if its
//   memory is too small and shared.
// - What the function itself raises. OutOfMemory while the second of several outs grows leaves the
//   first one resized.
#pragma once
#include "ops/out/arithmetic.h"
#include "ops/out/comparison.h"
#include "ops/out/elementwise.h"
#include "ops/out/factories.h"
#include "ops/out/index.h"
#include "ops/out/linalg.h"
#include "ops/out/nn.h"
#include "ops/out/reduce.h"
