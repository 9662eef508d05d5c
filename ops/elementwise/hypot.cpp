// hypot(a, b) = sqrt(a^2 + b^2),  d/da = a / hypot, d/db = b / hypot, and 0 at the origin, a cone's
// tip
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "ops/elementwise/check_floating.h"
#include "ops/spec/without_tails.h"
#endif

namespace notape {
namespace {

struct Hypot {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return math::hypot(a, b);
  }
};
const ElementwiseKernel<Hypot, 2> value_kernel("hypot");

}  // namespace

#ifndef __CUDACC__
namespace {

/// grad own / result, without 0 / 0.
Tensor share(const Tensor& grad, const Tensor& own, const Tensor& result) {
  return grad * where(result == 0, 0, own / result);
}

constexpr auto kDerivative =
    derivative("HypotBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Output& result) {
                 return share(grad, self, result);
               }),
               elementwise([](const Tensor& grad, const Input<1>& other, const Output& result) {
                 return share(grad, other, result);
               }));

const RegisterOp row(binary_spec<Hypot>(
    "hypot", [](const Tensor& a, const Tensor& b) { return hypot(a, b); },
    [](Tensor& a, const Tensor& b) { hypot_(a, b); },
    {.domain = {.low = 0.2, .high = 3}, .other = {.low = -3, .high = 3}}));
const RegisterWithoutTails tails(
    {.row = "hypot",
     .reason = "saves its result, which has few digits among the smallest numbers"});

}  // namespace

Tensor hypot(const Tensor& self, const Tensor& other, At at) {
  const Operation op("hypot", at);
  check_floating_operand(op, self, other);
  return binary(value_kernel, kDerivative, op, self, other);
}
Tensor& hypot_(Tensor& self, const Tensor& other, At at) {
  const Operation op("hypot_", at);
  check_floating_operand(op, self, other);
  return binary_(value_kernel, kDerivative, op, self, other);
}

Tensor ElementwiseMembers::hypot(const Tensor& other, At at) const {
  return notape::hypot(self(), other, at);
}
Tensor& ElementwiseMembers::hypot_(const Tensor& other, At at) const {
  return notape::hypot_(self(), other, at);
}
#endif

}  // namespace notape
