// bincount(x, weights)[k] = how often k stands in x, or the sum of its weights.
#include "autograd/tensor/factories.h"
#include "ops/core/composite.h"
#include "ops/core/one_device.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/index.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// One more than the largest, at least `minlength`.
int64_t bins_of(const Operation& op, const Tensor& self, int64_t minlength, At at) {
  if (self.numel() == 0) return minlength;
  if (min(self, at).item<int64_t>() < 0)
    op.fail<ValueError>("only supports 1-d non-negative integral inputs");
  constexpr int64_t kMost = int64_t{1} << 34;
  const int64_t bins = std::max(minlength, size_sum(op, max(self, at).item<int64_t>(), 1));
  if (bins > kMost) op.fail<OutOfMemory>("{} bins are too many", bins);
  return bins;
}

}  // namespace

Tensor bincount(const Tensor& self, const Tensor& weights, Integer minlength, At at) {
  const Operation op("bincount", at);
  check_operands(op, {&self});
  if (self.dim() != 1 || is_floating_point(self.dtype()) || self.dtype() == kBool)
    op.fail<ValueError>("only supports 1-d non-negative integral inputs, but got {} of shape {}",
                        name_of(self.dtype()), to_string(self.sizes()));
  if (minlength < 0) op.fail<ValueError>("minlength should be >= 0, but is {}", minlength);
  if (weights.defined()) {
    check_on_one_device(op, {&self, &weights});
    if (!(weights.sizes() == self.sizes()))
      op.fail<ShapeError>(
          "weights should be 1-d and have the same length as input, but got {} for {}",
          to_string(weights.sizes()), to_string(self.sizes()));
  }
  const Composite composite({&weights});
  const int64_t bins = bins_of(op, self, minlength, at);
  const ScalarType type = !weights.defined()            ? kInt64
                          : weights.dtype() == kFloat32 ? kFloat32
                                                        : kFloat64;
  const Tensor source =
      weights.defined() ? to(weights, type, at) : ones({self.numel()}, self.options().dtype(type));
  return index_add(zeros({bins}, source.options()), 0, to(self, kInt64, at), source, at);
}

Tensor IndexMembers::bincount(At at) const { return notape::bincount(self(), {}, 0, at); }
Tensor IndexMembers::bincount(const Tensor& weights, Integer minlength, At at) const {
  return notape::bincount(self(), weights, minlength, at);
}

}  // namespace notape
