// atan2(y, x), the angle of the point (x, y),  d/dy = x / r^2, d/dx = -y / r^2, r = hypot(x, y),
// and 0 at the origin
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

}  // namespace

#ifndef __CUDACC__
namespace {

/// grad side / r^2, by two divisions: r^2 may be out of range.
Tensor over_square(const Tensor& grad, const Tensor& side, const Tensor& y, const Tensor& x) {
  const Tensor r = hypot(y, x);
  return grad * where(r == 0, 0, side / r / r);
}

constexpr auto kAtan2Derivative =
    derivative("Atan2Backward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return over_square(grad, other, self, other);
               }),
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return -over_square(grad, self, self, other);
               }));

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
