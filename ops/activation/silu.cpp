// silu(x) = x s, s = sigmoid(x),  d/dx = s (1 + x (1 - s))
#include "ops/activation/activation.h"
#include "ops/activation/far_below.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Silu {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const auto [power, factor] = SplitExponential<T>::below(x);
    const T y = x * math::select(x < T(0), power, T(1)) / (T(1) + power * factor);
    return math::select(x < T(0), y * factor, y);
  }
};
struct SiluSlope {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const auto [power, factor] = SplitExponential<T>::below(x);
    const T large = T(1) / (T(1) + power * factor), small = power * large;
    const T s = math::select(x < T(0), small, large);
    const T rest = math::select(x < T(0), large, small * factor), slope = s * (T(1) + x * rest);
    return math::select(x < T(0), slope * factor, slope);
  }
};
const ElementwiseKernel<Silu> silu_kernel("silu");
const ElementwiseKernel<SiluSlope> silu_slope_kernel("silu.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kSiluSlope =
    derivative("SiluBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 const Tensor s = sigmoid(self), rest = sigmoid(-self);
                 const Tensor bend = s * rest;
                 return grad * (bend * 2 + bend * self * (rest - s));
               }));
constexpr FloatingOperator kSilu(
    silu_kernel, "SiluBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
      return grad * unary(silu_slope_kernel, kSiluSlope, {"silu_backward", At::current()}, self);
    }));

const RegisterOp silu_row(unary_spec<Silu>("silu", silu, silu_, {.low = -6, .high = 6},
                                           Domain{-85, 85}));
const RegisterWithoutTails silu_tails(
    {.row = "silu", .reason = "has terms that cancel around its minimum, near x = -1.28"});
const RegisterAccuracy silu_accuracy({.row = "silu",
                                      .value = 3,
                                      .reason = "rounds a product, a sum and a quotient"});

}  // namespace

Tensor silu(const Tensor& self, At at) { return kSilu({"silu", at}, self); }
Tensor& silu_(Tensor& self, At at) { return kSilu.in_place({"silu_", at}, self); }
#endif

}  // namespace notape
