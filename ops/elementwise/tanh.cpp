// tanh(x) = y = (e^x - e^-x) / (e^x + e^-x),  dy/dx = 1 - y^2 = (1 - y) (1 + y)
#include <bit>

#include "ops/core/multiply_add.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"
#ifndef __CUDACC__
#include "ops/spec/accuracy.h"
#include "ops/spec/known_by_result.h"
#endif

namespace notape {
namespace {

struct Tanh {
  using Loop = WideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::tanh(x);
  }
  /// Near 0 x and x times a minimax polynomial of x^2, within 5e-9, else 1 - 2 / (e^(2 x) + 1): to
  /// 1.4 units in the last place.
  static float of_float(float x) {
    using detail::multiply_add;
    const float square = x * x;
    float series = multiply_add(-0.00570498700749f, square, 0.0206390872587f);
    series = multiply_add(series, square, -0.0537397150906f);
    series = multiply_add(series, square, 0.133314421982f);
    series = multiply_add(series, square, -0.33333281942f);
    const float near = multiply_add(x, series * square, x);
    // Compared as whole numbers, in one instruction; from 10 on the rest is nothing.
    constexpr auto kMost = std::bit_cast<int32_t>(10.0f);
    const auto bits = std::bit_cast<int32_t>(std::fabs(x));
    // e^(2 a) = 2^n e^(2 r)
    constexpr float kRounder = 0x1.8p23f + 127;
    const auto a = std::bit_cast<float>(bits < kMost ? bits : kMost);
    const float shifted = multiply_add(a, 0x1.715476p1f, kRounder), whole = shifted - kRounder;
    const float r = multiply_add(whole, -0x1.62e430p-2f, a);
    float power = multiply_add(0x1.6a4d60p-4f, r, 0x1.12398ep-2f);
    power = multiply_add(power, r, 0x1.5558b0p-1f);
    power = multiply_add(power, r, 0x1.555492p0f);
    power = multiply_add(power, r, 0x1.fffffcp0f);
    power = multiply_add(multiply_add(power, r, 2.0f), r, 1.0f) *
            std::bit_cast<float>(std::bit_cast<uint32_t>(shifted) << 23);
    const float far = 1.0f - 2.0f / (1.0f + power);
    return std::copysign(std::fabs(x) >= 0.625f ? far : near, x);  // near, of NaN
  }
};
struct TanhGradient {
  template <typename T>
  NOTAPE_HD T operator()(T grad, T y) const {
    return grad * ((T(1) - y) * (T(1) + y));  // loses no more than y has lost
  }
};
const ElementwiseKernel<Tanh> tanh_kernel("tanh");
const ElementwiseKernel<TanhGradient, 2> tanh_gradient_kernel("tanh.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor tanh_gradient(const Tensor& grad, const Tensor& y);

constexpr auto kTanhGradient = derivative(
    "TanhBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<1>& y) { return tanh_gradient(grad, y); }),
    elementwise([](const Tensor& grad, const Input<0>& outer, const Input<1>& y) {
      return grad * outer * y * -2;
    }));
constexpr UnaryOperator kTanh(tanh_kernel, "TanhBackward0",
                              elementwise([](const Tensor& grad, const Output& y) {
                                return tanh_gradient(grad, y);
                              }));

Tensor tanh_gradient(const Tensor& grad, const Tensor& y) {
  return binary(tanh_gradient_kernel, kTanhGradient, {"tanh_backward", At::current()}, grad, y);
}

const RegisterOp tanh_row(unary_spec<Tanh>("tanh", tanh, tanh_, {.low = -4, .high = 4},
                                           Domain{.low = -25, .high = 25}));
const RegisterKnownByResult tanh_known(
    {.row = "tanh",
     .slope = [](Wide y) { return (1 - y) * (1 + y); },
     .reason = "saves its result, so that its input may be overwritten; from |x| = 1.7 on 1 - |y| "
               "has fewer digits than y, and none from 19 on (9 in float32)"});
const RegisterAccuracy tanh_accuracy({.row = "tanh",
                                      .value = 1.4,
                                      .reason = "rounds e^(2 x) before it divides"});

}  // namespace

Tensor tanh(const Tensor& self, At at) { return kTanh({"tanh", at}, self); }
Tensor& tanh_(Tensor& self, At at) { return kTanh.in_place({"tanh_", at}, self); }

Tensor ElementwiseMembers::tanh(At at) const { return notape::tanh(self(), at); }
Tensor& ElementwiseMembers::tanh_(At at) const { return notape::tanh_(self(), at); }
#endif

}  // namespace notape
