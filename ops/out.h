// The out forms: exp_out(out, self) writes exp(self) into `out` and returns it, with LibTorch's
// names, argument order and defaults; of functions with several results, max_out(max, max_values,
// self, dim). All results are computed first and then copied, so out may share memory with an
// argument, and no memory traffic is saved; what is saved is the new tensor that a caller would
// have to keep.
//
// Nothing changes unless all is well:
// - OutRequiresGrad: grad mode is on and an argument or an out requires grad.
// ForwardNotImplemented:
//   one has a tangent. UndefinedTensor: an out is undefined.
// - DtypeError: out's dtype does not take the result, by the rule that stands above each group,
// which
//   is LibTorch's. "Converted": as x.copy_ of a result whose category (bool < integer < floating)
//   is no higher. "Exactly": the same dtype.
// - DeviceError: out is on another device. MemoryOverlap: out shows a memory cell twice, or two
// outs
//   share one (LibTorch: aminmax_out alone). ReadOnlyWrite, InferenceTensorError and the like: as
//   copy_, whose write this is, in out's version too.
// - An out of another shape is resized, with a warning if it had elements; AliasedInPlace if its
//   memory is too small and shared. An out with gaps keeps its strides.
// - What the function itself raises.
#pragma once
#include "ops/out/arithmetic.h"
#include "ops/out/comparison.h"
#include "ops/out/elementwise.h"
#include "ops/out/factories.h"
#include "ops/out/index.h"
#include "ops/out/linalg.h"
#include "ops/out/nn.h"
#include "ops/out/reduce.h"
