// erfinv(x) = y with erf(y) = x,  d/dx = sqrt(pi) / 2 e^(y^2)
#include <limits>

#include "ops/core/product_error.h"
#include "ops/elementwise/constant.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

constexpr double kHalfRootPi = 0.88622692545275801365;

/// Winitzki's approximation (2008), good to nearly three digits, and Halley's steps, which triple
/// them. Above a half from erfc and the distance from 1, which x has and erf(y) has lost.
struct Erfinv {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T size = math::abs(x), rest = T(1) - size, a = constant<T>(0.147);
    const T log = math::log(rest * (T(1) + size)),
            shift = constant<T>(4.330746750799873) + log / T(2);
    const T root = math::sqrt(shift * shift - log / a);
    T y = math::sqrt(-log / a / (root + shift));
    for (int i = 0; i < 3; ++i) {
      const T miss =
          math::select(size < constant<T>(0.5), math::erf(y) - size, rest - math::erfc(y));
      const T u = miss * math::exp(y * y) * constant<T>(kHalfRootPi);
      y = y - u / (T(1) + y * u);
    }
    // Infinite at 1, and beyond no number.
    const T result = math::select(size < T(1), y, -math::log(rest));
    return math::select(x < T(0), -result, result);
  }
};
/// e^(y^2) sqrt(pi) / 2. The factor erfc(y) / (1 - |x|), which is 1, makes up for what y was
/// rounded by.
struct ErfinvSlope {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T size = math::abs(x), rest = T(1) - size, y = Erfinv()(size), square = y * y;
    const T power =
        math::corrected_exponential(math::exp(square), square, math::product_error(y, y, square));
    const T one = math::select(size < constant<T>(0.5), T(1), math::erfc(y) / rest);
    return math::select(size == T(1), T(1) / rest, power * one * constant<T>(kHalfRootPi));
  }
};
const ElementwiseKernel<Erfinv> erfinv_kernel("erfinv");
const ElementwiseKernel<ErfinvSlope> erfinv_slope_kernel("erfinv.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor erfinv_slope(const Tensor& self);

constexpr auto kErfinvSlope =
    derivative("ErfinvBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 return grad * square(erfinv_slope(self)) * erfinv(self) * 2;
               }));
constexpr UnaryOperator kErfinv(erfinv_kernel, "ErfinvBackward0",
                                elementwise([](const Tensor& grad, const Input<0>& self) {
                                  return grad * erfinv_slope(self);
                                }));

Tensor erfinv_slope(const Tensor& self) {
  return unary(erfinv_slope_kernel, kErfinvSlope, {"erfinv_backward", At::current()}, self);
}

/// By Newton's steps alone, which come from one side: a formula without branches.
struct PlainErfinv {
  template <typename T>
  T operator()(T x) const {
    if (x > T(1) || x < T(-1)) return T(std::numeric_limits<double>::quiet_NaN());
    if (x == T(1) || x == T(-1)) return x / T(0);
    T y = x * T(kHalfRootPi);
    for (int i = 0; i < 80; ++i) y = y - (math::erf(y) - x) * math::exp(y * y) * T(kHalfRootPi);
    return y;
  }
};

const RegisterOp erfinv_row(unary_spec<PlainErfinv>("erfinv", erfinv, erfinv_,
                                                    {.low = -0.9, .high = 0.9}));
const RegisterAccuracy erfinv_accuracy({.row = "erfinv",
                                        .value = 1.5,
                                        .reason = "is a product of rounded numbers"});

}  // namespace

Tensor erfinv(const Tensor& self, At at) { return kErfinv({"erfinv", at}, self); }
Tensor& erfinv_(Tensor& self, At at) { return kErfinv.in_place({"erfinv_", at}, self); }

Tensor ElementwiseMembers::erfinv(At at) const { return notape::erfinv(self(), at); }
Tensor& ElementwiseMembers::erfinv_(At at) const { return notape::erfinv_(self(), at); }
#endif

}  // namespace notape
