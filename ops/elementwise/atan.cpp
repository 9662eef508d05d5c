// atan(x),  d/dx = 1 / (1 + x^2)
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

/// Where the square would be out of range 1 does not count.
struct AtanSlope {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::abs(x) > T(0x1p60) ? T(1) / x / x : T(1) / (T(1) + x * x);
  }
};
const ElementwiseKernel<functor::atan> atan_kernel("atan");
const ElementwiseKernel<AtanSlope> atan_slope_kernel("atan.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor atan_slope(const Tensor& self);

constexpr auto kAtanSlope =
    derivative("AtanBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 const Tensor slope = atan_slope(self);
                 return grad * (self * slope * slope * -2);
               }));
constexpr UnaryOperator kAtan(atan_kernel, "AtanBackward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return grad * atan_slope(self);
                              }));

Tensor atan_slope(const Tensor& self) {
  return unary(atan_slope_kernel, kAtanSlope, {"atan_backward", At::current()}, self);
}

const RegisterOp atan_row(unary_spec<functor::atan>("atan", atan, atan_, {.low = -4, .high = 4},
                                                    Domain{.low = -900, .high = 900}));

}  // namespace

Tensor atan(const Tensor& self, At at) { return kAtan({"atan", at}, self); }
Tensor& atan_(Tensor& self, At at) { return kAtan.in_place({"atan_", at}, self); }

Tensor ElementwiseMembers::atan(At at) const { return notape::atan(self(), at); }
Tensor& ElementwiseMembers::atan_(At at) const { return notape::atan_(self(), at); }
#endif

}  // namespace notape
