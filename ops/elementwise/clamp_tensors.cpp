// clamp(x, low, high) with tensors for bounds = minimum(maximum(x, low), high), either left out;
// clamp_min and clamp_max have one of them.
#include "ops/core/composite.h"
#include "ops/core/overwrite.h"
#include "ops/core/promotion.h"
#include "ops/elementwise/compute.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

Tensor clamped(const Operation& op, const Tensor& self, const Tensor& min, const Tensor& max) {
  if (!min.defined() && !max.defined())
    op.fail<ValueError>("At least one of 'min' or 'max' must not be None");
  check_operands(op, {&self, min.defined() ? &min : &max, max.defined() ? &max : &min});
  const Composite composite({&self, &min, &max});
  ResultType all;  // what any two of them have in common may be less
  for (const Tensor* operand : {&self, &min, &max})
    if (operand->defined()) all.add(*operand);
  const auto promoted = [&](const Tensor& x) { return to(x, all.get(), op.at); };
  const Tensor raised =
      min.defined() ? maximum(promoted(self), promoted(min), op.at) : promoted(self);
  return max.defined() ? minimum(raised, promoted(max), op.at) : raised;
}

/// In place the bounds may promote and broadcast no further than self.
Tensor& clamped_(const Operation& op, Tensor& self, const Tensor& min, const Tensor& max) {
  const Tensor result = clamped(op, clone(self, op.at), min, max);
  check_result_fits(op, self, result.dtype(), {&result});
  return overwrite(op, self, result);
}

}  // namespace

Tensor clamp(const Tensor& self, const Tensor& min, const Tensor& max, At at) {
  return clamped({"clamp", at}, self, min, max);
}
Tensor& clamp_(Tensor& self, const Tensor& min, const Tensor& max, At at) {
  return clamped_({"clamp_", at}, self, min, max);
}
Tensor clip(const Tensor& self, const Tensor& min, const Tensor& max, At at) {
  return clamp(self, min, max, at);
}
Tensor& clip_(Tensor& self, const Tensor& min, const Tensor& max, At at) {
  return clamp_(self, min, max, at);
}
Tensor clamp_min(const Tensor& self, const Tensor& min, At at) {
  return clamped({"clamp_min", at}, self, min, {});
}
Tensor& clamp_min_(Tensor& self, const Tensor& min, At at) {
  return clamped_({"clamp_min_", at}, self, min, {});
}
Tensor clamp_max(const Tensor& self, const Tensor& max, At at) {
  return clamped({"clamp_max", at}, self, {}, max);
}
Tensor& clamp_max_(Tensor& self, const Tensor& max, At at) {
  return clamped_({"clamp_max_", at}, self, {}, max);
}

Tensor ElementwiseMembers::clamp(const Tensor& min, const Tensor& max, At at) const {
  return notape::clamp(self(), min, max, at);
}
Tensor& ElementwiseMembers::clamp_(const Tensor& min, const Tensor& max, At at) const {
  return notape::clamp_(self(), min, max, at);
}
Tensor ElementwiseMembers::clip(const Tensor& min, const Tensor& max, At at) const {
  return notape::clip(self(), min, max, at);
}
Tensor& ElementwiseMembers::clip_(const Tensor& min, const Tensor& max, At at) const {
  return notape::clip_(self(), min, max, at);
}
Tensor ElementwiseMembers::clamp_min(const Tensor& min, At at) const {
  return notape::clamp_min(self(), min, at);
}
Tensor& ElementwiseMembers::clamp_min_(const Tensor& min, At at) const {
  return notape::clamp_min_(self(), min, at);
}
Tensor ElementwiseMembers::clamp_max(const Tensor& max, At at) const {
  return notape::clamp_max(self(), max, at);
}
Tensor& ElementwiseMembers::clamp_max_(const Tensor& max, At at) const {
  return notape::clamp_max_(self(), max, at);
}

}  // namespace notape
