// leaky_relu(x) = x where x > 0, else negative_slope x. At 0 the derivative is the one of least
// norm.
#include "ops/activation/activation.h"

namespace notape {
namespace {

struct LeakyRelu {
  Number negative_slope;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return x > T(0) ? x : x * negative_slope.as<T>();
  }
};
struct LeakyReluGradient {
  Number negative_slope, at_zero;
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x) const {
    const T slope = x == T(0) ? at_zero.as<T>() : negative_slope.as<T>();
    return x > T(0) ? grad : grad * slope;
  }
  bool factors_are_finite() const { return negative_slope.is_finite(); }
};
const ElementwiseKernel<LeakyRelu> leaky_relu_kernel("leaky_relu");
const ElementwiseKernel<LeakyReluGradient, 2> leaky_relu_gradient_kernel("leaky_relu.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor leaky_relu_gradient(const Tensor& grad, const Tensor& x, const LeakyReluGradient& f);

constexpr auto kLeakyReluGradient =
    derivative("LeakyReluBackwardBackward0",
               elementwise([](const Tensor& grad, const Input<1>& x, const LeakyReluGradient& f) {
                 return leaky_relu_gradient(grad, x, f);
               }),
               not_differentiable);
constexpr auto kLeakyReluDerivative = derivative(
    "LeakyReluBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self, const LeakyReluGradient& f) {
      return leaky_relu_gradient(grad, self, f);
    }));

Tensor leaky_relu_gradient(const Tensor& grad, const Tensor& x, const LeakyReluGradient& f) {
  return binary(leaky_relu_gradient_kernel, kLeakyReluGradient,
                {"leaky_relu_backward", At::current()}, grad, x, f, f);
}

LeakyReluGradient gradient_of(Scalar negative_slope) {
  const double slope = negative_slope.to<double>();
  const double at_zero = slope <= 0 ? 0 : std::min(slope, 1.0);
  return {number(slope), number(at_zero)};
}

OpCase draw_leaky_relu(Draw& draw) {
  const double slope = draw.real(-1, 2);
  return activation_case(
      draw, format_message("negative_slope={}", {slope}), {.low = -3, .high = 3, .kinks = {0}},
      [=](const Tensor& x) { return leaky_relu(x, slope); },
      [=](Tensor& x) { leaky_relu_(x, slope); }, LeakyRelu{number(slope)});
}

const RegisterOp leaky_relu_row(op_row("leaky_relu", "elementwise", draw_leaky_relu));

}  // namespace

Tensor leaky_relu(const Tensor& self, Scalar negative_slope, At at) {
  const Operation op("leaky_relu", at);
  check_parameters(op, self, {negative_slope});
  return unary(leaky_relu_kernel, kLeakyReluDerivative, op, self, {number(negative_slope)},
               gradient_of(negative_slope));
}
Tensor& leaky_relu_(Tensor& self, Scalar negative_slope, At at) {
  const Operation op("leaky_relu_", at);
  check_parameters(op, self, {negative_slope});
  return unary_(leaky_relu_kernel, kLeakyReluDerivative, op, self, {number(negative_slope)},
                gradient_of(negative_slope));
}
#endif

}  // namespace notape
