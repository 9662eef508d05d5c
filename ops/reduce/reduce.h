// What reductions build on: which dimensions go, and loops that fold an input into accumulators.
#pragma once
#include <bitset>

#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/elementwise/kernel.h"

namespace notape {

/// The dimensions a reduction removes.
struct ReducedDims {
  std::vector<bool> reduced;  // one per dimension of the input
  std::vector<int64_t> kept_sizes;    // with keepdim: reduced dimensions have size 1
  std::vector<int64_t> result_sizes;  // as the caller wants them
  int64_t count = 1;                  // elements folded into each result
};
/// An empty `dim` means all. Throws IndexError for a bad or repeated dimension.
ReducedDims reduced_dims(const Operation& op, const Tensor& self, IntArrayRef dim, bool keepdim);

/// Folds `input` into `accumulator`, whose sizes are `dims.kept_sizes` and which holds the neutral
/// element; `loop` sees the accumulator as data[0] (stride 0 along reduced dimensions).
void fold(ElementwiseLoop loop, const Tensor& accumulator, const Tensor& input);

/// `value` with size-1 dimensions put back where `dims` were reduced away, for broadcasting.
Tensor restore_dims(const Tensor& value, IntArrayRef input_sizes, IntArrayRef dim, bool keepdim);

}  // namespace notape
