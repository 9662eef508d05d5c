// tanh(x) = y = (e^x - e^-x) / (e^x + e^-x),  dy/dx = 1 - y^2 = (1 - y) (1 + y)
#include "ops/core/exp_below_zero.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"
#ifndef __CUDACC__
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
  /// Near 0 x and x times a minimax polynomial of x^2, within 1e-9, else 1 - 2 / (e^(2 x) + 1).
  static float of_float(float x) {
    using detail::multiply_add;
    const float size = std::fabs(x), square = x * x;
    float series = multiply_add(1.116686332588e-4f, square, -8.035167935106e-4f);
    series = multiply_add(series, square, 3.0203277543570e-3f);
    series = multiply_add(series, square, -8.5485414177631e-3f);
    series = multiply_add(series, square, 2.1764371115823e-2f);
    series = multiply_add(series, square, -5.3948364990729e-2f);
    series = multiply_add(series, square, 1.3333148547951e-1f);
    series = multiply_add(series, square, -3.3333327400106e-1f);
    const float power = exp_below_zero(-2.0f * size);
    const float near = multiply_add(size, series * square, size);
    const float far = 1.0f - 2.0f * power / (1.0f + power);
    return std::copysign(size < 1.0f ? near : far, x);
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
constexpr auto kTanhDerivative = derivative(
    "TanhBackward0",
    elementwise([](const Tensor& grad, const Output& y) { return tanh_gradient(grad, y); }));

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

}  // namespace

Tensor tanh(const Tensor& self, At at) {
  return unary(tanh_kernel, kTanhDerivative, {"tanh", at}, self);
}
Tensor& tanh_(Tensor& self, At at) {
  return unary_(tanh_kernel, kTanhDerivative, {"tanh_", at}, self);
}

Tensor ElementwiseMembers::tanh(At at) const { return notape::tanh(self(), at); }
Tensor& ElementwiseMembers::tanh_(At at) const { return notape::tanh_(self(), at); }
#endif

}  // namespace notape
