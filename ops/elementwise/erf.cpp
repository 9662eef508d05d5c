// erf(x) = 2 / sqrt(pi) * integral of e^(-t^2) from 0 to x,  d/dx = 2 / sqrt(pi) * e^(-x^2)
#include "ops/core/product_error.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"

namespace notape {
namespace {

struct Erf {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::erf(x);
  }
};
/// 2 / sqrt(pi) * e^(-x^2). For large x the rounding of x^2 would cost as many last places as x^2
/// counts.
struct ErfSlope {
  using Loop = VectorLoop;
  Number two_over_root_pi = {1.1283791670955125739, 1};
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T square = x * x;
    const T power =
        math::corrected_exponential(math::exp(-square), square, -math::product_error(x, x, square));
    return two_over_root_pi.as<T>() * power;
  }
};
const ElementwiseKernel<Erf> value_kernel("erf");
const ElementwiseKernel<ErfSlope> slope_kernel("erf.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor erf_slope(const Tensor& self);

constexpr auto kSlope =
    derivative("ErfBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 return grad * (erf_slope(self) * self) * -2;
               }));
constexpr auto kDerivative = derivative(
    "ErfBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return grad * erf_slope(self); }));

Tensor erf_slope(const Tensor& self) {
  return unary(slope_kernel, kSlope, {"erf_backward", At::current()}, self);
}

const RegisterOp row(unary_spec<Erf>("erf", erf, erf_, {.low = -3, .high = 3},
                                     Domain{.low = -9, .high = 9}));

}  // namespace

Tensor erf(const Tensor& self, At at) {
  return unary(value_kernel, kDerivative, {"erf", at}, self);
}
Tensor& erf_(Tensor& self, At at) { return unary_(value_kernel, kDerivative, {"erf_", at}, self); }

Tensor ElementwiseMembers::erf(At at) const { return notape::erf(self(), at); }
Tensor& ElementwiseMembers::erf_(At at) const { return notape::erf_(self(), at); }
#endif

}  // namespace notape
