// elu(x) = scale x where x > 0, else alpha scale (e^(input_scale x) - 1);
// d/dx = scale, or alpha scale input_scale e^(input_scale x), at 0 the one of least norm
#include "ops/activation/activation.h"
#include "ops/core/product_error.h"

namespace notape {
namespace {

struct Elu {
  using Loop = VectorLoop;
  Number below, scale, input_scale;  // below = alpha scale
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::select(
        x > T(0), scale.as<T>() * x,
        below.as<T>() * math::expm1(math::select(x > T(0), T(0), x) * input_scale.as<T>()));
  }
};
struct EluSlope {
  using Loop = VectorLoop;
  Number below, scale, input_scale, at_zero;  // below = alpha scale input_scale
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T k = input_scale.as<T>(), low = math::select(x > T(0), T(0), x), z = low * k;
    const T power = math::corrected_exponential(math::exp(z), z, math::product_error(low, k, z));
    const T slope = math::select(x == T(0), at_zero.as<T>(), below.as<T>() * power);
    return math::select(x > T(0), scale.as<T>(), slope);
  }
};
const ElementwiseKernel<Elu> elu_kernel("elu");
const ElementwiseKernel<EluSlope> elu_slope_kernel("elu.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor elu_slope(const Tensor& self, const EluSlope& f);

constexpr auto kEluSlope =
    derivative("EluBackwardBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const EluSlope& f) {
                 return where(self < 0, grad * elu_slope(self, f) * f.input_scale.real, 0);
               }));
constexpr auto kEluDerivative = derivative(
    "EluBackward0", elementwise([](const Tensor& grad, const Input<0>& self, const EluSlope& f) {
      return grad * elu_slope(self, f);
    }));

Tensor elu_slope(const Tensor& self, const EluSlope& f) {
  return unary(elu_slope_kernel, kEluSlope, {"elu_backward", At::current()}, self, f, f);
}

struct EluFormulas {
  Elu value;
  EluSlope slope;
};
EluFormulas formulas(Scalar alpha, Scalar scale, Scalar input_scale) {
  const double s = scale.to<double>(), below = alpha.to<double>() * s,
               slope = below * input_scale.to<double>();
  const double at_zero = s * slope <= 0 ? 0 : std::abs(s) < std::abs(slope) ? s : slope;
  return {{number(below), number(scale), number(input_scale)},
          {number(slope), number(scale), number(input_scale), number(at_zero)}};
}

OpCase draw_elu(Draw& draw) {
  const double alpha = draw.real(0.5, 2.5), scale = draw.real(0.5, 1.5),
               input_scale = draw.real(0.5, 2.5);
  return activation_case(
      draw, format_message("alpha={}, scale={}, input_scale={}", {alpha, scale, input_scale}),
      near_or_far(draw, {.low = -3, .high = 3, .kinks = {0}},
                  Domain{.low = -30, .high = 30, .kinks = {0}}),
      [=](const Tensor& x) { return elu(x, alpha, scale, input_scale); },
      [=](Tensor& x) { elu_(x, alpha, scale, input_scale); },
      formulas(alpha, scale, input_scale).value);
}

const RegisterOp elu_row(op_row("elu", "elementwise", draw_elu));

}  // namespace

Tensor elu(const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale, At at) {
  const Operation op("elu", at);
  check_parameters(op, self, {alpha, scale, input_scale});
  const EluFormulas f = formulas(alpha, scale, input_scale);
  return unary(elu_kernel, kEluDerivative, op, self, f.value, f.slope);
}
Tensor& elu_(Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale, At at) {
  const Operation op("elu_", at);
  check_parameters(op, self, {alpha, scale, input_scale});
  const EluFormulas f = formulas(alpha, scale, input_scale);
  return unary_(elu_kernel, kEluDerivative, op, self, f.value, f.slope);
}
#endif

}  // namespace notape
