// erf(x) = 2 / sqrt(pi) * integral of e^(-t^2) from 0 to x,  d/dx = 2 / sqrt(pi) * e^(-x^2)
#include "ops/core/normal_tail.h"
#include "ops/core/product_error.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"
#include "ops/spec/accuracy.h"
#ifndef __CUDACC__
#include "ops/elementwise/erf_slope.h"
#endif

namespace notape {
namespace {

struct Erf {
  using Loop = WideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::erf(x);
  }
  /// Near 0 x and x times a minimax polynomial of x^2, within 2e-8, else what the tails leave of 1.
  static float of_float(float x) {
    const float size = std::fabs(x), s = x * x;
    float series = detail::multiply_add(0x1.4ae4dp-14f, s, -0x1.a485ecp-11f);
    series = detail::multiply_add(series, s, 0x1.5419f6p-8f);
    series = detail::multiply_add(series, s, -0x1.b7fbb4p-6f);
    series = detail::multiply_add(series, s, 0x1.ce2d2p-4f);
    series = detail::multiply_add(series, s, -0x1.81273ep-2f);
    series = detail::multiply_add(series, s, 0x1.06eba8p-3f);
    const float rest = 1.0f - 2.0f * exp_below_zero(-s) * scaled_normal_tail(size * 1.41421356f);
    return size < 1.0f ? ::fmaf(x, series, x) : std::copysign(rest, x);
  }
};
/// 2 / sqrt(pi) * e^(-x^2). For large x the rounding of x^2 would cost as many last places as x^2
/// counts.
struct ErfSlope {
  using Loop = WideLoop;
  Number two_over_root_pi = {1.1283791670955125739, 1};
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T square = x * x;
    const T power =
        math::corrected_exponential(math::exp(-square), square, -math::product_error(x, x, square));
    return two_over_root_pi.as<T>() * power;
  }
  float of_float(float x) const { return two_over_root_pi.single * exp_of_square(x); }
};
const ElementwiseKernel<Erf> erf_kernel("erf");
const ElementwiseKernel<ErfSlope> erf_slope_kernel("erf.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kErfSlope =
    derivative("ErfBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 return grad * (erf_slope(self) * self) * -2;
               }));
constexpr auto kErfDerivative = derivative(
    "ErfBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return grad * erf_slope(self); }));

const RegisterOp erf_row(unary_spec<Erf>("erf", erf, erf_, {.low = -3, .high = 3},
                                         Domain{.low = -9, .high = 9}));
const RegisterAccuracy erf_accuracy({.row = "erf",
                                     .second = 16,
                                     .reason = "multiplies x by a slope that may be subnormal"});

}  // namespace

Tensor erf_slope(const Tensor& self) {
  return unary(erf_slope_kernel, kErfSlope, {"erf_backward", At::current()}, self);
}

Tensor erf(const Tensor& self, At at) {
  return unary(erf_kernel, kErfDerivative, {"erf", at}, self);
}
Tensor& erf_(Tensor& self, At at) { return unary_(erf_kernel, kErfDerivative, {"erf_", at}, self); }

Tensor ElementwiseMembers::erf(At at) const { return notape::erf(self(), at); }
Tensor& ElementwiseMembers::erf_(At at) const { return notape::erf_(self(), at); }
#endif

}  // namespace notape
