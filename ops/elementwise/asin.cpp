// asin(x),  d/dx = 1 / sqrt(1 - x^2)
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/elementwise/asin_slope.h"
#endif

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

}  // namespace

#ifndef __CUDACC__
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

Tensor asin(const Tensor& self, At at) { return kAsin({"asin", at}, self); }
Tensor& asin_(Tensor& self, At at) { return kAsin.in_place({"asin_", at}, self); }

Tensor ElementwiseMembers::asin(At at) const { return notape::asin(self(), at); }
Tensor& ElementwiseMembers::asin_(At at) const { return notape::asin_(self(), at); }
#endif

}  // namespace notape
