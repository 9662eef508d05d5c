#include "ops/core/batching.h"
#include "ops/core/reduced.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce/softmax.h"

namespace notape {

Tensor raw_softmax(const Operation& op, const SoftmaxKernel& kernel, const Tensor& self,
                   int64_t dim) {
  check_operands(op, {&self});
  const int64_t place = wrap_dim(op, dim, self.dim());
  if (is_batched(self))
    return over_batch_along(
        place, self,
        [&](int64_t behind, const Tensor& all) { return raw_softmax(op, kernel, all, behind); },
        self);
  require_floating(op, self);
  if (is_reduced_floating_point(self.dtype()))
    return in_float32(
        op, [&](const Tensor& x) { return raw_softmax(op, kernel, x, dim); }, self);
  const Tensor source = raw_contiguous(self);
  Tensor result = allocate(self.sizes(), self.dtype(), self.device());
  kernel(op, self.dtype(), self.device(), result, source, Slices(self.sizes(), place));
  return result;
}

Tensor raw_softmax_gradient(const Operation& op, const SoftmaxGradientKernel& kernel,
                            const Tensor& g, const Tensor& y, int64_t dim) {
  if (any_batched(g, y))
    return over_batch_along(
        dim, y,
        [&](int64_t behind, const Tensor& all_g, const Tensor& all_y) {
          return raw_softmax_gradient(op, kernel, all_g, all_y, behind);
        },
        g, y);
  if (is_reduced_floating_point(y.dtype()))
    return raw_convert(raw_softmax_gradient(op, kernel, g, raw_convert(y, kFloat32), dim),
                       y.dtype());
  const Tensor gradient = raw_contiguous(raw_convert(g, y.dtype())), values = raw_contiguous(y);
  Tensor result = allocate(y.sizes(), y.dtype(), y.device());
  kernel(op, y.dtype(), y.device(), result, gradient, values, Slices(y.sizes(), dim));
  return result;
}

}  // namespace notape
