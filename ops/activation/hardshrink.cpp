// hardshrink(x) = x where |x| > lambd, else 0
#include "ops/activation/activation.h"

namespace notape {
namespace {

struct Hardshrink {
  Number lambd;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T bound = lambd.as<T>();
    return x >= -bound && x <= bound ? T(0) : x;
  }
};
/// The gradient where x is not shrunk to 0.
struct HardshrinkGradient {
  Number lambd;
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x) const {
    const T bound = lambd.as<T>();
    return x >= -bound && x <= bound ? T(0) : grad;
  }
};
const ElementwiseKernel<Hardshrink> hardshrink_kernel("hardshrink");
const ElementwiseKernel<HardshrinkGradient, 2> hardshrink_gradient_kernel("hardshrink.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor hardshrink_gradient(const Tensor& grad, const Tensor& x, const HardshrinkGradient& f);

constexpr auto kHardshrinkGradient =
    derivative("HardshrinkBackwardBackward0",
               selection([](const Tensor& grad, const Input<1>& x, const HardshrinkGradient& f) {
                 return hardshrink_gradient(grad, x, f);
               }),
               not_differentiable);
constexpr auto kHardshrinkDerivative =
    derivative("HardshrinkBackward0",
               selection([](const Tensor& grad, const Input<0>& self, const HardshrinkGradient& f) {
                 return hardshrink_gradient(grad, self, f);
               }));

Tensor hardshrink_gradient(const Tensor& grad, const Tensor& x, const HardshrinkGradient& f) {
  return binary(hardshrink_gradient_kernel, kHardshrinkGradient,
                {"hardshrink_backward", At::current()}, grad, x, f, f);
}

OpCase draw_hardshrink(Draw& draw) {
  const double lambd = draw.real(0.25, 1.25);
  return activation_case(
      draw, format_message("lambd={}", {lambd}), {.low = -3, .high = 3, .kinks = {-lambd, lambd}},
      [=](const Tensor& x) { return hardshrink(x, lambd); }, nullptr, Hardshrink{number(lambd)});
}

const RegisterOp hardshrink_row(op_row("hardshrink", "elementwise", draw_hardshrink,
                                       Trait::Clamps));

}  // namespace

Tensor hardshrink(const Tensor& self, Scalar lambd, At at) {
  const Operation op("hardshrink", at);
  check_parameters(op, self, {lambd});
  return unary(hardshrink_kernel, kHardshrinkDerivative, op, self, {number(lambd)},
               HardshrinkGradient{number(lambd)});
}

Tensor ElementwiseMembers::hardshrink(Scalar lambd, At at) const {
  return notape::hardshrink(self(), lambd, at);
}
#endif

}  // namespace notape
