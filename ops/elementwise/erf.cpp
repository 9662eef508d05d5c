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
  /// 1 - e^-p of |x|, within 1.9 ulp: p = -log(erfc |x|) is |x| times a minimax polynomial, within
  /// 5e-9, and p = n log(2) + r with n = 0 where the result is small. From 3.95 on it is 1.
  static float of_float(float x) {
    using detail::multiply_add;
    constexpr float kMost = 3.95f, kRounder = 0x1.8p23f + 127;
    const float size = std::fabs(x), t = kMost < size ? kMost : size;  // NaN stays one
    float series = multiply_add(-0x1.36d40ap-17f, t, 0x1.edb350p-14f);
    series = multiply_add(series, t, -0x1.4beacap-11f);
    series = multiply_add(series, t, 0x1.b51f96p-10f);
    series = multiply_add(series, t, -0x1.516480p-13f);
    series = multiply_add(series, t, -0x1.39cca2p-6f);
    series = multiply_add(series, t, 0x1.a4fa4ap-4f);
    series = multiply_add(series, t, 0x1.45f2fap-1f);
    series = multiply_add(series, t, -0x1.d08112p-25f);
    const float p = ::fmaf(t, 1.12837917f, t * series);
    const float shifted = multiply_add(p, -0x1.715476p0f, kRounder), whole = shifted - kRounder;
    const float r = -multiply_add(whole, 0x1.62e430p-1f, p);
    float rest = multiply_add(0x1.6b9c68p-10f, r, 0x1.12254ap-7f);
    rest = multiply_add(rest, r, 0x1.5556f2p-5f);
    rest = multiply_add(rest, r, 0x1.5554b4p-3f);
    rest = multiply_add(rest, r, 0x1.fffffep-2f);
    rest = ::fmaf(rest, r * r, r);  // e^r - 1
    const float power = std::bit_cast<float>(std::bit_cast<uint32_t>(shifted) << 23);
    return std::copysign(::fmaf(power, rest, power - 1.0f), x);
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
                                     .value = 1.9,
                                     .second = 24,
                                     .reason = "rounds an exponent instead of calling a function, "
                                               "and multiplies x by slopes that may be subnormal"});

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
