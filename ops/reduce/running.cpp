#include "ops/reduce/running.h"

#include "autograd/tensor/factories.h"
#include "ops/shape.h"

namespace notape {

Tensor raw_running(const Operation& op, const RunningKernel& kernel, const Tensor& self,
                   int64_t dim) {
  if (is_batched(self))
    return over_batch_along(
        dim, self,
        [&](int64_t behind, const Tensor& all) { return raw_running(op, kernel, all, behind); },
        self);
  if (is_reduced_floating_point(self.dtype()))
    return in_float32(
        op, [&](const Tensor& x) { return raw_running(op, kernel, x, dim); }, self);
  const ScalarType type = self.is_floating_point() ? self.dtype() : kInt64;
  const Tensor result = allocate(self.sizes(), type, self.device());
  kernel(op, self.dtype(), self.device(), result, raw_contiguous(self), Slices(self.sizes(), dim));
  return result;
}

PerResult<2> raw_running_extremes(const Operation& op, const Tensor& self, int64_t dim,
                                  Extreme which) {
  if (is_batched(self))
    return pair_over_batch_along(dim, self, [&](int64_t behind, const Tensor& all) {
      return raw_running_extremes(op, all, behind, which);
    });
  if (is_reduced_floating_point(self.dtype())) {
    PerResult<2> found = raw_running_extremes(op, raw_convert(self, kFloat32), dim, which);
    return {raw_convert(found[0], self.dtype()), std::move(found[1])};
  }
  const PerResult<2> result{allocate(self.sizes(), self.dtype(), self.device()),
                            allocate(self.sizes(), kInt64, self.device())};
  running_extreme_kernel(op, self.dtype(), self.device(), result[0], result[1],
                         raw_contiguous(self), Slices(self.sizes(), dim), which);
  return result;
}

Tensor without_first(const Tensor& x, int64_t dim) { return narrow(x, dim, 1, x.size(dim) - 1); }
Tensor without_last(const Tensor& x, int64_t dim) { return narrow(x, dim, 0, x.size(dim) - 1); }

Tensor moved_on(const Tensor& x, int64_t dim, double first) {
  DimVector sizes = x.sizes();
  sizes[static_cast<std::size_t>(dim)] = 1;
  return cat({full(sizes, first, x.options()), without_last(x, dim)}, dim);
}

}  // namespace notape
