// asin(x),  d/dx = 1 / sqrt(1 - x^2);  acos(x),  d/dx = -1 / sqrt(1 - x^2);  atan(x),
// d/dx = 1 / (1 + x^2)
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

/// Without cancellation near -1 and 1, and not a number beyond.
struct AsinSlope {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return T(1) / math::sqrt((T(1) - x) * (T(1) + x));
  }
};
const ElementwiseKernel<functor::asin> asin_kernel("asin");
const ElementwiseKernel<AsinSlope> asin_slope_kernel("asin.slope");
const ElementwiseKernel<functor::acos> acos_kernel("acos");

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

/// 1 / sqrt(1 - x^2); NaN beyond -1 and 1.
Tensor asin_slope(const Tensor& self);
Tensor atan_slope(const Tensor& self);

constexpr auto kAsinSlope =
    derivative("AsinBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 const Tensor slope = asin_slope(self);
                 return grad * (self * slope * slope * slope);
               }));
constexpr UnaryOperator kAsin(asin_kernel, "AsinBackward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return grad * asin_slope(self);
                              }));

const RegisterOp asin_row(unary_spec<functor::asin>("asin", asin, asin_,
                                                    {.low = -0.95, .high = 0.95}));

Tensor asin_slope(const Tensor& self) {
  return unary(asin_slope_kernel, kAsinSlope, {"asin_backward", At::current()}, self);
}

constexpr UnaryOperator kAcos(acos_kernel, "AcosBackward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return -grad * asin_slope(self);
                              }));

const RegisterOp acos_row(unary_spec<functor::acos>("acos", acos, acos_,
                                                    {.low = -0.95, .high = 0.95}));

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

Tensor asin(const Tensor& self, At at) { return kAsin({"asin", at}, self); }
Tensor& asin_(Tensor& self, At at) { return kAsin.in_place({"asin_", at}, self); }

Tensor ElementwiseMembers::asin(At at) const { return notape::asin(self(), at); }
Tensor& ElementwiseMembers::asin_(At at) const { return notape::asin_(self(), at); }

Tensor acos(const Tensor& self, At at) { return kAcos({"acos", at}, self); }
Tensor& acos_(Tensor& self, At at) { return kAcos.in_place({"acos_", at}, self); }

Tensor ElementwiseMembers::acos(At at) const { return notape::acos(self(), at); }
Tensor& ElementwiseMembers::acos_(At at) const { return notape::acos_(self(), at); }

Tensor atan(const Tensor& self, At at) { return kAtan({"atan", at}, self); }
Tensor& atan_(Tensor& self, At at) { return kAtan.in_place({"atan_", at}, self); }

Tensor ElementwiseMembers::atan(At at) const { return notape::atan(self(), at); }
Tensor& ElementwiseMembers::atan_(At at) const { return notape::atan_(self(), at); }
#endif

}  // namespace notape
