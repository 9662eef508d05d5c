// erfcx(x) = e^(x^2) erfc(x),  d/dx = 2 x erfcx(x) - 2 / sqrt(pi)
#include "ops/core/product_error.h"
#include "ops/elementwise/of_order.h"

namespace notape {
namespace {

/// The derivative of this order of erfcx, (-2)^n n! w_n: w_n is e^(x^2) times the integral of erfc
/// taken n times, w_-1 is 2 / sqrt(pi), and 2 n w_n = w_(n-2) - 2 x w_(n-1).
struct ErfcxFamily {
  template <typename T>
  static NOTAPE_HD T of(int order, T x) {
    const T two_over_root_pi =
        T(1.1283791670955126) + T(1.533545961316588e-17) + T(-4.765684596693686e-34);
    if (order == 0 && !(x >= T(5))) return product(x);
    T w = x >= T(0.75) ? two_over_root_pi * product_of_ratios(order, x)
                       : upwards(order, x, two_over_root_pi);
    for (int n = 1; n <= order; ++n) w *= T(-2 * n);
    return w;
  }

 private:
  template <typename T>
  static NOTAPE_HD T product(T x) {
    const T square = x * x;
    T power = math::exp(square);
    if constexpr (std::is_same_v<T, double>)
      if (power - power == 0)  // else what is lost of an infinity is not a number
        power = math::corrected_exponential(power, square, math::product_error(x, x, square));
    return power * math::erfc(x);
  }
  template <typename T>
  static NOTAPE_HD T upwards(int order, T x, T before) {
    T w = product(x);
    for (int n = 1; n <= order; ++n) {
      const T next = (before - T(2) * x * w) / T(2 * n);
      before = w;
      w = next;
    }
    return w;
  }
  /// Where the terms of the recurrence cancel: it backwards, as a continued fraction of the ratios
  /// r_n = w_n / w_(n-1), from where they hardly change.
  template <typename T>
  static NOTAPE_HD T product_of_ratios(int order, T x) {
    const T many = sizeof(T) == 8 ? T(8) + T(200) / (x * x) : T(30) + T(900) / (x * x);
    int n = 2 * order + static_cast<int>(many);
    T ratio = T(1) / (x + math::sqrt(x * x + T(2 * n + 2))), result = T(1);
    for (; n >= 0; --n) {
      ratio = T(0.5) / (x + T(n + 1) * ratio);
      if (n <= order) result *= ratio;
    }
    return result;
  }
};
using Erfcx = OfOrder<ErfcxFamily>;
const ElementwiseKernel<Erfcx> erfcx_kernel("special_erfcx");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor erfcx_of_order(const Operation& op, const Tensor& self, int order);

constexpr auto kErfcxDerivative =
    derivative("SpecialErfcxBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Erfcx& f) {
                 const Operation op("special_erfcx_backward", At::current());
                 return grad * erfcx_of_order(op, self, f.order + 1);
               }));

Tensor erfcx_of_order(const Operation& op, const Tensor& self, int order) {
  return unary(erfcx_kernel, kErfcxDerivative, op, self, Erfcx{order}, Erfcx{order});
}

const RegisterOp erfcx_row(unary_spec<Erfcx>("special_erfcx", special_erfcx, nullptr,
                                             {.low = -2, .high = 4},
                                             Domain{.low = -8, .high = 60}));

}  // namespace

Tensor special_erfcx(const Tensor& self, At at) {
  return erfcx_of_order({"special_erfcx", at}, self, 0);
}
#endif

}  // namespace notape
