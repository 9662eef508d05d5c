#include "ops/core/batching.h"
#include "ops/core/reduced.h"
#include "ops/reduce/reduction.h"

namespace notape {
namespace {

Tensor run(const Operation& op, const Tensor& self, const ReducedDims& dims, bool mean) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) {
          return run(op, all, dims.behind_batch(size), mean);
        },
        self);
  if (is_reduced_floating_point(self.dtype()))
    return in_float32(
        op, [&](const Tensor& x) { return run(op, x, dims, mean); }, self);
  const ScalarType type = is_floating_point(self.dtype()) ? self.dtype() : kInt64;
  Tensor result = allocate(dims.result_sizes, type, self.device());
  sum_kernel(op, self.dtype(), self.device(), result, self, dims, mean);
  return result;
}

}  // namespace

Tensor raw_sum(const Operation& op, const Tensor& self, const ReducedDims& dims) {
  return run(op, self, dims, false);
}

Tensor raw_mean(const Operation& op, const Tensor& self, const ReducedDims& dims) {
  require_floating(op, self);
  return run(op, self, dims, true);
}

}  // namespace notape
