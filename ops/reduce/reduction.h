// What reductions build on: which dimensions go, and rows and slices to loop over.
#pragma once
#include <bitset>

#include "autograd/graph/record.h"
#include "ops/core/batching.h"
#include "ops/core/device_function.h"
#include "ops/core/kernel_slot.h"
#include "ops/core/promotion.h"
#include "ops/parallel.h"

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

  /// How many there are, and where each begins; its elements are `inner` apart.
  NOTAPE_HD int64_t count() const { return outer * inner; }
  NOTAPE_HD int64_t start(int64_t slice) const {
    return slice / inner * size * inner + slice % inner;
  }
};

/// Throws DtypeError for integers and bools.
void require_floating(const Operation& op, const Tensor& self);

/// The elements that meet in one result side by side: (results, dims.count), row-major. Copies only
/// if they are not stored that way.
Tensor as_rows(const Tensor& self, const ReducedDims& dims);

struct RowsPlan;
/// On a GPU: lets several teams work at each row if that is worth while. The memory that they then
/// need is held until the work is queued.
Tensor let_teams_share(RowsPlan& plan, Device device);

/// visit_type for a floating type.
template <typename F>
decltype(auto) visit_floating(ScalarType type, F&& f) {
  return type == kFloat32 ? f.template operator()<float>() : f.template operator()<double>();
}

/// Sums (int64 for integers and bools) or means (floating dtypes only), no graph. Floating values
/// are accumulated in double, integers wrap around.
Tensor raw_sum(const Operation& op, const Tensor& self, const ReducedDims& dims);
Tensor raw_mean(const Operation& op, const Tensor& self, const ReducedDims& dims);

/// `result`, row-major, has the sum's dtype; `self` has any strides.
using SumKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& self,
                              const ReducedDims& dims, bool mean)>;
extern SumKernel sum_kernel;

/// `value` with size-1 dimensions put back where `dims` were reduced away, for broadcasting.
Tensor restore_dims(const Tensor& value, IntArrayRef input_sizes, IntArrayRef dim, bool keepdim);
/// The same, expanded to the input's sizes.
Tensor spread(const Tensor& value, IntArrayRef input_sizes, IntArrayRef dim, bool keepdim);

}  // namespace notape
