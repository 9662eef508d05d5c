// atanh(x),  d/dx = 1 / (1 - x^2)
#include <limits>

#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

/// Without cancellation near -1 and 1, and not a number beyond, as the value.
struct AtanhSlope {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::abs(x) > T(1) ? std::numeric_limits<T>::quiet_NaN()
                               : T(1) / ((T(1) - x) * (T(1) + x));
  }
};
const ElementwiseKernel<functor::atanh> atanh_kernel("atanh");
const ElementwiseKernel<AtanhSlope> atanh_slope_kernel("atanh.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor atanh_slope(const Tensor& self);

constexpr auto kAtanhSlope =
    derivative("AtanhBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 const Tensor slope = atanh_slope(self);
                 return grad * (self * slope * slope * 2);
               }));
constexpr UnaryOperator kAtanh(atanh_kernel, "AtanhBackward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return grad * atanh_slope(self);
                               }));

Tensor atanh_slope(const Tensor& self) {
  return unary(atanh_slope_kernel, kAtanhSlope, {"atanh_backward", At::current()}, self);
}

const RegisterOp atanh_row(unary_spec<functor::atanh>("atanh", atanh, atanh_,
                                                      {.low = -0.9, .high = 0.9}));
const RegisterAccuracy atanh_accuracy({.row = "atanh",
                                       .value = 1.1,
                                       .reason = "is SLEEF's, just above one unit"});

}  // namespace

Tensor atanh(const Tensor& self, At at) { return kAtanh({"atanh", at}, self); }
Tensor& atanh_(Tensor& self, At at) { return kAtanh.in_place({"atanh_", at}, self); }

Tensor ElementwiseMembers::atanh(At at) const { return notape::atanh(self(), at); }
Tensor& ElementwiseMembers::atanh_(At at) const { return notape::atanh_(self(), at); }
#endif

}  // namespace notape
