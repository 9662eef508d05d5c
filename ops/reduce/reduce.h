// What reductions build on: which dimensions go, rows and slices to loop over, and loops that fold
// an input into accumulators.
#pragma once
#include <bitset>

#include "autograd/graph/record.h"
#include "ops/core/batching.h"
#include "ops/core/kernel_slot.h"
#include "ops/core/parallel.h"
#include "ops/core/promotion.h"
#include "ops/elementwise/kernel.h"

namespace notape {

/// The dimensions a reduction removes.
struct ReducedDims {
  std::bitset<Geometry::kMaxDims> reduced;  // by dimension of the input
  DimVector kept_sizes;                     // with keepdim: reduced dimensions have size 1
  DimVector result_sizes;                   // as the caller wants them
  int64_t count = 1;                        // elements folded into each result

  /// For the input with a batch of that size in front.
  ReducedDims behind_batch(int64_t size) const;
};
/// An empty `dim` means all. Throws IndexError for a bad or repeated dimension.
ReducedDims reduced_dims(const Operation& op, const Tensor& self, IntArrayRef dim, bool keepdim);

/// A row-major tensor seen as (outer, size, inner) around one dimension, which may be negative.
struct Slices {
  Slices(IntArrayRef sizes, int64_t dim);
  int64_t outer = 1, size = 1, inner = 1;
};

/// Throws NoKernel for other devices.
void require_cpu(const Operation& op, const Tensor& self);
/// Throws DtypeError for integers and bools.
void require_floating(const Operation& op, const Tensor& self);

/// The elements that meet in one result side by side: (results, dims.count), row-major. Copies only
/// if they are not stored that way.
Tensor as_rows(const Tensor& self, const ReducedDims& dims);

/// result[i] = f(row i, dims.count) for `rows` from as_rows; rows may be shared among threads.
template <typename T, typename F>
void reduce_rows(const Tensor& rows, const ReducedDims& dims, const Tensor& result, const F& f) {
  using Result = std::invoke_result_t<F, const T*, int64_t>;
  const T* row = rows.impl().data_as<T>();
  auto* target = result.impl().data_as<Result>();
  const int64_t count = result.numel();
  const int64_t rows_at_once = kParallelGrain / std::max<int64_t>(1, dims.count);
  parallel_for(0, count, std::max<int64_t>(1, rows_at_once), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) target[i] = f(row + i * dims.count, dims.count);
  });
}

/// visit_type for a floating type.
template <typename F>
decltype(auto) visit_floating(ScalarType type, F&& f) {
  return type == kFloat32 ? f.template operator()<float>() : f.template operator()<double>();
}

/// Folds `input` into `accumulator`, whose sizes are `dims.kept_sizes` and which holds the neutral
/// element; `loop` sees the accumulator as data[0] (stride 0 along reduced dimensions).
void fold(ElementwiseLoop loop, const Tensor& accumulator, const Tensor& input);

/// Sums (int64 for integers and bools) or means (floating dtypes only), no graph. Floating values
/// are accumulated in double, integers wrap around.
Tensor raw_sum(const Operation& op, const Tensor& self, const ReducedDims& dims);
Tensor raw_mean(const Operation& op, const Tensor& self, const ReducedDims& dims);

/// Devices other than the CPU: result[i] = (the sum of row i) / divisor, for rows from as_rows of
/// `count` elements each; integers are not divided. `result` is row-major and has the sum's dtype.
using SumRowsKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& rows,
                                  int64_t count, double divisor)>;
extern SumRowsKernel sum_rows_kernel;

/// `value` with size-1 dimensions put back where `dims` were reduced away, for broadcasting.
Tensor restore_dims(const Tensor& value, IntArrayRef input_sizes, IntArrayRef dim, bool keepdim);

}  // namespace notape
