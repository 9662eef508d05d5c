// mish(x) = x t, t = tanh(log(1 + e^x)),  d/dx = t + x s (1 - t^2), s = sigmoid(x). With e = e^x:
// t = n / (n + 2), n = e (e + 2)
#include "ops/activation/activation.h"
#include "ops/activation/far_below.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Mish {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const auto [power, factor] = SplitExponential<T>::below(x);
    const T e = power * factor, n = power * (e + T(2));
    const T above = (T(1) + T(2) * e) / (T(1) + T(2) * e * (T(1) + e));
    const T y = x * math::select(x < T(0), n / (n * factor + T(2)), above);
    return math::select(x < T(0), y * factor, y);
  }
};
/// s (1 - t^2), the slope of t.
struct MishRise {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T e = math::exp(-math::abs(x)), n = e * (e + T(2)), m = T(1) + T(2) * e * (T(1) + e);
    const T below = T(4) * e * (T(1) + e) / ((n + T(2)) * (n + T(2)));
    return math::select(x < T(0), below, T(4) * e * e * (T(1) + e) / (m * m));
  }
};
struct MishSlope {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const auto [power, factor] = SplitExponential<T>::below(x);
    const T e = power * factor, n = power * (e + T(2)), d = n * factor + T(2);
    const T m = T(1) + T(2) * e * (T(1) + e);
    const T below = n / d + x * (T(4) * power * (T(1) + e) / (d * d));
    const T above = (T(1) + T(2) * e) / m + x * (T(4) * e * e * (T(1) + e) / (m * m));
    return math::select(x < T(0), below * factor, above);
  }
};
const ElementwiseKernel<Mish> mish_kernel("mish");
const ElementwiseKernel<MishSlope> mish_slope_kernel("mish.slope");
const ElementwiseKernel<MishRise> rise_kernel("mish.rise");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor mish_rise(const Tensor& self);

/// The slope of the rise over the rise.
Tensor turn(const Tensor& self) {
  return sigmoid(-self) - sigmoid(self) * tanh(softplus(self)) * 2;
}
constexpr auto kRise = derivative("MishBackwardBackwardBackward0",
                                  elementwise([](const Tensor& grad, const Input<0>& self) {
                                    return grad * (mish_rise(self) * turn(self));
                                  }));
constexpr auto kMishSlope =
    derivative("MishBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 const Tensor rise = mish_rise(self);
                 return grad * (rise * 2 + rise * self * turn(self));
               }));
constexpr FloatingOperator kMish(
    mish_kernel, "MishBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
      return grad * unary(mish_slope_kernel, kMishSlope, {"mish_backward", At::current()}, self);
    }));

Tensor mish_rise(const Tensor& self) {
  return unary(rise_kernel, kRise, {"mish_backward", At::current()}, self);
}

const RegisterOp mish_row(unary_spec<Mish>("mish", mish, mish_, {.low = -6, .high = 6},
                                           Domain{-85, 85}));
const RegisterWithoutTails mish_tails(
    {.row = "mish", .reason = "has terms that cancel around its minimum, near x = -1.19"});
const RegisterAccuracy mish_accuracy({.row = "mish",
                                      .value = 3.5,
                                      .reason = "rounds a quotient of products"});

}  // namespace

Tensor mish(const Tensor& self, At at) { return kMish({"mish", at}, self); }
Tensor& mish_(Tensor& self, At at) { return kMish.in_place({"mish_", at}, self); }
#endif

}  // namespace notape
