// hypot(a, b) = sqrt(a^2 + b^2),  d/da = a / hypot, d/db = b / hypot, and 0 at the origin, a cone's
// tip;  d2/da2 = (b / hypot)^2 / hypot, where 1 / hypot - a^2 / hypot^3 would cancel
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "ops/elementwise/check_floating.h"
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
const ElementwiseKernel<Hypot, 2> hypot_kernel("hypot");

/// own / hypot(own, other), from the quotients by the larger one: hypot may be out of range.
struct Slope {
  template <typename T>
  NOTAPE_HD T operator()(T own, T other) const {
    const T largest = math::max(math::abs(own), math::abs(other));
    const T unit = math::select(largest - largest == T(0), largest, T(1));  // 1 beside infinity
    const T a = own / unit, b = other / unit;
    return math::select(largest == T(0), T(0), a / math::sqrt(a * a + b * b));
  }
};
const ElementwiseKernel<Slope, 2> hypot_slope_kernel("hypot_slope");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor slope(const Tensor& own, const Tensor& other);

/// grad side / hypot, without 0 / 0.
Tensor over_hypot(const Tensor& grad, const Tensor& side, const Tensor& own, const Tensor& other) {
  const Tensor length = hypot(own, other);
  return grad * where(length == 0, 0, side / length);
}

constexpr auto kSlopeDerivative =
    derivative("HypotSlopeBackward0",
               elementwise([](const Tensor& grad, const Input<0>& own, const Input<1>& other) {
                 const Tensor side = slope(other, own);
                 return over_hypot(grad * side, side, own, other);
               }),
               elementwise([](const Tensor& grad, const Input<0>& own, const Input<1>& other) {
                 return -over_hypot(grad, slope(own, other) * slope(other, own), own, other);
               }));

Tensor slope(const Tensor& own, const Tensor& other) {
  return binary(hypot_slope_kernel, kSlopeDerivative, {"hypot_backward", At::current()}, own,
                other);
}

constexpr auto kHypotDerivative =
    derivative("HypotBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return grad * slope(self, other);
               }),
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return grad * slope(other, self);
               }));

const RegisterOp hypot_row(binary_spec<Hypot>("hypot", hypot, hypot_,
                                              {.domain = {.low = 0.2, .high = 3},
                                               .other = {.low = -3, .high = 3}}));

}  // namespace

Tensor hypot(const Tensor& self, const Tensor& other, At at) {
  const Operation op("hypot", at);
  check_floating_operand(op, self, other);
  return binary(hypot_kernel, kHypotDerivative, op, self, other);
}
Tensor& hypot_(Tensor& self, const Tensor& other, At at) {
  const Operation op("hypot_", at);
  check_floating_operand(op, self, other);
  return binary_(hypot_kernel, kHypotDerivative, op, self, other);
}

Tensor ElementwiseMembers::hypot(const Tensor& other, At at) const {
  return notape::hypot(self(), other, at);
}
Tensor& ElementwiseMembers::hypot_(const Tensor& other, At at) const {
  return notape::hypot_(self(), other, at);
}
#endif

}  // namespace notape
