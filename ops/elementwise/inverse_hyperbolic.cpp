// asinh(x),  d/dx = 1 / sqrt(1 + x^2);  atanh(x),  d/dx = 1 / (1 - x^2);  acosh(x), d/dx =
// 1 / sqrt(x^2 - 1), in a form that does not cancel near 1, does not overflow, and is NaN below 1,
// as the value is
#include <limits>

#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#include "ops/spec/accuracy.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#endif

namespace notape {
namespace {

const ElementwiseKernel<functor::asinh> asinh_kernel("asinh");
const ElementwiseKernel<functor::acosh> acosh_kernel("acosh");

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
constexpr UnaryOperator kAsinh(asinh_kernel, "AsinhBackward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return grad / hypot(self, ones({}, self.options()));
                               }));

const RegisterOp asinh_row(unary_spec<functor::asinh>("asinh", asinh, asinh_,
                                                      {.low = -4, .high = 4},
                                                      Domain{.low = -900, .high = 900}));
const RegisterAccuracy asinh_accuracy({.row = "asinh",
                                       .value = 1.1,
                                       .reason = "is SLEEF's, just above one unit"});

Tensor asinh(const Tensor& self, At at) { return kAsinh({"asinh", at}, self); }
Tensor& asinh_(Tensor& self, At at) { return kAsinh.in_place({"asinh_", at}, self); }

Tensor ElementwiseMembers::asinh(At at) const { return notape::asinh(self(), at); }
Tensor& ElementwiseMembers::asinh_(At at) const { return notape::asinh_(self(), at); }

constexpr UnaryOperator kAcosh(acosh_kernel, "AcoshBackward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return grad * (rsqrt(self - 1) * rsqrt(self + 1));
                               }));

const RegisterOp acosh_row(unary_spec<functor::acosh>("acosh", acosh, acosh_,
                                                      {.low = 1.05, .high = 9},
                                                      Domain{.low = 1.05, .high = 900}));
const RegisterAccuracy acosh_accuracy(
    {.row = "acosh", .slope = 3.5, .reason = "has a slope of two roots, so as not to overflow"});

Tensor acosh(const Tensor& self, At at) { return kAcosh({"acosh", at}, self); }
Tensor& acosh_(Tensor& self, At at) { return kAcosh.in_place({"acosh_", at}, self); }

Tensor ElementwiseMembers::acosh(At at) const { return notape::acosh(self(), at); }
Tensor& ElementwiseMembers::acosh_(At at) const { return notape::acosh_(self(), at); }

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
