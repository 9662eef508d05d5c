// threshold(x) = x where x > threshold, else value
#include "ops/activation/activation.h"

namespace notape {
namespace {

struct Threshold {
  static constexpr TypeSet types = kNumberTypes;
  Number threshold, value;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return x <= threshold.as<T>() ? value.as<T>() : x;
  }
};
struct ThresholdGradient {
  Number threshold;
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x) const {
    return x <= threshold.as<T>() ? T(0) : grad;
  }
};
const ElementwiseKernel<Threshold> threshold_kernel("threshold");
const ElementwiseKernel<ThresholdGradient, 2> threshold_gradient_kernel("threshold.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor threshold_gradient(const Tensor& grad, const Tensor& x, const ThresholdGradient& f);

constexpr auto kThresholdGradient =
    derivative("ThresholdBackwardBackward0",
               selection([](const Tensor& grad, const Input<1>& x, const ThresholdGradient& f) {
                 return threshold_gradient(grad, x, f);
               }),
               not_differentiable);
constexpr auto kThresholdDerivative =
    derivative("ThresholdBackward0",
               selection([](const Tensor& grad, const Input<0>& self, const ThresholdGradient& f) {
                 return threshold_gradient(grad, self, f);
               }));

Tensor threshold_gradient(const Tensor& grad, const Tensor& x, const ThresholdGradient& f) {
  return binary(threshold_gradient_kernel, kThresholdGradient,
                {"threshold_backward", At::current()}, grad, x, f, f);
}

void check_threshold(const Operation& op, const Tensor& self, Scalar threshold, Scalar value) {
  check_operand(op, self);
  if (self.dtype() == kBool) op.fail<DtypeError>("not implemented for '{}'", type_name_of(kBool));
  for (const Scalar number : {threshold, value}) check_fits(op, number, self.dtype());
}

OpCase draw_threshold(Draw& draw) {
  const double bound = draw.real(-2, 2), value = draw.real(-2, 2);
  return activation_case(
      draw, format_message("threshold={}, value={}", {bound, value}),
      {.low = -3, .high = 3, .kinks = {bound}},
      [=](const Tensor& x) { return threshold(x, bound, value); },
      [=](Tensor& x) { threshold_(x, bound, value); }, Threshold{number(bound), number(value)});
}

const RegisterOp threshold_row(op_row("threshold", "elementwise", draw_threshold, Trait::Clamps));

}  // namespace

Tensor threshold(const Tensor& self, Scalar threshold, Scalar value, At at) {
  const Operation op("threshold", at);
  check_threshold(op, self, threshold, value);
  return unary(threshold_kernel, kThresholdDerivative, op, self, {number(threshold), number(value)},
               ThresholdGradient{number(threshold)});
}
Tensor& threshold_(Tensor& self, Scalar threshold, Scalar value, At at) {
  const Operation op("threshold_", at);
  check_threshold(op, self, threshold, value);
  return unary_(threshold_kernel, kThresholdDerivative, op, self,
                {number(threshold), number(value)}, ThresholdGradient{number(threshold)});
}
#endif

}  // namespace notape
