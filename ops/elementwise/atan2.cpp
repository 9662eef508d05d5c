// atan2(y, x), the angle of the point (x, y),  d/dy = x / r^2, d/dx = -y / r^2, r = hypot(x, y),
// and 0 at the origin;  with u = a / r^2 and v = b / r^2, du/da = v^2 - u^2 and du/db = -2 u v
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"

namespace notape {
namespace {

struct Atan2 {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T y, T x) const {
    return math::atan2(y, x);
  }
};
const ElementwiseKernel<Atan2, 2> atan2_kernel("atan2");

/// own / (own^2 + other^2), from the quotients by the larger one: r^2 may be out of range.
struct Atan2Slope {
  template <typename T>
  NOTAPE_HD T operator()(T own, T other) const {
    const T largest = math::max(math::abs(own), math::abs(other));
    const T unit = math::select(largest - largest == T(0), largest, T(1));  // 1 beside infinity
    const T a = own / unit, b = other / unit;
    return math::select(largest == T(0), T(0), a / (a * a + b * b) / unit);
  }
};
const ElementwiseKernel<Atan2Slope, 2> atan2_slope_kernel("atan2.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor atan2_slope(const Tensor& own, const Tensor& other);

constexpr auto kAtan2Slope =
    derivative("Atan2BackwardBackward0",
               elementwise([](const Tensor& grad, const Input<0>& own, const Input<1>& other) {
                 const Tensor u = atan2_slope(own, other), v = atan2_slope(other, own);
                 return grad * (v - u) * (v + u);
               }),
               elementwise([](const Tensor& grad, const Input<0>& own, const Input<1>& other) {
                 return grad * atan2_slope(own, other) * atan2_slope(other, own) * -2;
               }));
constexpr auto kAtan2Derivative =
    derivative("Atan2Backward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return grad * atan2_slope(other, self);
               }),
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return -grad * atan2_slope(self, other);
               }));

Tensor atan2_slope(const Tensor& own, const Tensor& other) {
  return binary(atan2_slope_kernel, kAtan2Slope, {"atan2_backward", At::current()}, own, other);
}

const RegisterOp atan2_row(binary_spec<Atan2>("atan2", atan2, atan2_,
                                              {.domain = {.low = 0.2, .high = 3},
                                               .other = {.low = -3, .high = 3}}));

}  // namespace

Tensor atan2(const Tensor& self, const Tensor& other, At at) {
  return binary(atan2_kernel, kAtan2Derivative, {"atan2", at}, self, other);
}
Tensor& atan2_(Tensor& self, const Tensor& other, At at) {
  return binary_(atan2_kernel, kAtan2Derivative, {"atan2_", at}, self, other);
}

Tensor ElementwiseMembers::atan2(const Tensor& other, At at) const {
  return notape::atan2(self(), other, at);
}
Tensor& ElementwiseMembers::atan2_(const Tensor& other, At at) const {
  return notape::atan2_(self(), other, at);
}
#endif

}  // namespace notape
