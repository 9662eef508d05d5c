#include "ops/reduce/extremum.h"

#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/reduced.h"
#include "ops/core/wrap_dim.h"
#include "ops/index.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// The elements that equal the extreme; a NaN extreme, and there is no other where there are NaNs,
/// is equalled by every NaN.
Tensor tied(const Tensor& self, const Tensor& extreme) {
  return eq(self, extreme) + ne(self, self);
}

}  // namespace

Tensor raw_extreme(const Operation& op, const Tensor& self, Extreme which) {
  if (self.numel() == 0)
    op.fail<ShapeError>(
        "Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
        "with the 'dim' argument. The input has size {}",
        to_string(self.sizes()));
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) {
          return raw_extremes(op, reshape(all, {size, self.numel()}), 1, false, which).values;
        },
        self);
  if (is_reduced_floating_point(self.dtype()))
    return in_float32([&](const Tensor& x) { return raw_extreme(op, x, which); }, self);
  Tensor result = allocate(IntArrayRef(), self.dtype(), self.device());
  extremum_kernel(op, self.dtype(), self.device(), result, {}, raw_contiguous(self),
                  Slices(self.numel(), 0), which);
  return result;
}

ExtremesAndIndices raw_extremes(const Operation& op, const Tensor& self, int64_t dim, bool keepdim,
                                Extreme which) {
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  if (dims.count == 0)
    op.fail<IndexError>(
        "Expected reduction dim {} to have non-zero size, but the input has size {}", dim,
        to_string(self.sizes()));
  if (is_batched(self)) {
    const BatchLevel level = levels_of(self).back();
    const auto behind = static_cast<std::size_t>(wrap_dim(op, dim, self.dim())) + 1;
    const Tensor all = peel(self, level);
    const bool line_up = self.dim() == 0;
    const ExtremesAndIndices of_all =
        raw_extremes(op, line_up ? unsqueeze(all, 1) : all, static_cast<int64_t>(behind),
                     keepdim && !line_up, which);
    return {wrap(of_all.values, level), wrap(of_all.indices, level)};
  }
  if (is_reduced_floating_point(self.dtype())) {
    ExtremesAndIndices found = raw_extremes(op, raw_convert(self, kFloat32), dim, keepdim, which);
    return {raw_convert(found.values, self.dtype()), std::move(found.indices)};
  }
  const ExtremesAndIndices result{allocate(dims.result_sizes, self.dtype(), self.device()),
                                  allocate(dims.result_sizes, kInt64, self.device())};
  if (result.values.numel() > 0)
    extremum_kernel(op, self.dtype(), self.device(), result.values, result.indices,
                    raw_contiguous(self), Slices(self.sizes(), dim), which);
  return result;
}

Tensor raw_place_of_extreme(const Operation& op, const Tensor& self, int64_t dim, bool keepdim,
                            Extreme which) {
  check_operands(op, {&self});
  if (self.dtype() == kBool) op.fail<DtypeError>("does not support bool input");
  return raw_extremes(op, self, dim, keepdim, which).indices;
}

Tensor share_among_tied(const Tensor& value, const Tensor& self, const Tensor& extreme) {
  const Tensor mask = tied(self, extreme);
  return where(mask, value / sum(mask), 0);
}

Tensor mean_of_tied(const Tensor& tangent, const Tensor& self, const Tensor& extreme) {
  const Tensor mask = tied(self, extreme);
  return sum(where(mask, tangent, 0)) / sum(mask);
}

Tensor scatter_to_indices(const Tensor& value, IntArrayRef sizes, const Tensor& indices,
                          const AlongDim& p) {
  if (sizes.empty()) return value;
  return scatter_add(zeros(sizes, value.options()), p.dim,
                     restore_dims(indices, sizes, p.dim, p.keepdim),
                     restore_dims(value, sizes, p.dim, p.keepdim));
}

Tensor gather_at_indices(const Tensor& value, const Tensor& indices, const AlongDim& p) {
  if (value.dim() == 0) return value;
  const Tensor found = gather(value, p.dim, restore_dims(indices, value.sizes(), p.dim, p.keepdim));
  return p.keepdim ? found : squeeze(found, p.dim);
}

}  // namespace notape
