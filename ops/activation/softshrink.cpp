// softshrink(x) = x moved toward 0 by lambd, and 0 where |x| <= lambd
#include "ops/activation/activation.h"

namespace notape {
namespace {

struct Softshrink {
  Number lambd;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T bound = lambd.as<T>();
    return x > bound ? x - bound : x < -bound ? x + bound : x - x;
  }
};
/// The gradient where x is not shrunk to 0.
struct SoftshrinkGradient {
  Number lambd;
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x) const {
    const T bound = lambd.as<T>();
    return x >= -bound && x <= bound ? T(0) : grad;
  }
};
const ElementwiseKernel<Softshrink> softshrink_kernel("softshrink");
const ElementwiseKernel<SoftshrinkGradient, 2> softshrink_gradient_kernel("softshrink.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor softshrink_gradient(const Tensor& grad, const Tensor& x, const SoftshrinkGradient& f);

constexpr auto kSoftshrinkGradient =
    derivative("SoftshrinkBackwardBackward0",
               selection([](const Tensor& grad, const Input<1>& x, const SoftshrinkGradient& f) {
                 return softshrink_gradient(grad, x, f);
               }),
               not_differentiable);
constexpr auto kSoftshrinkDerivative =
    derivative("SoftshrinkBackward0",
               selection([](const Tensor& grad, const Input<0>& self, const SoftshrinkGradient& f) {
                 return softshrink_gradient(grad, self, f);
               }));

Tensor softshrink_gradient(const Tensor& grad, const Tensor& x, const SoftshrinkGradient& f) {
  return binary(softshrink_gradient_kernel, kSoftshrinkGradient,
                {"softshrink_backward", At::current()}, grad, x, f, f);
}

OpCase draw_softshrink(Draw& draw) {
  const double lambd = draw.real(0.25, 1.25);
  return activation_case(
      draw, format_message("lambd={}", {lambd}), {.low = -3, .high = 3, .kinks = {-lambd, lambd}},
      [=](const Tensor& x) { return softshrink(x, lambd); }, nullptr, Softshrink{number(lambd)});
}

const RegisterOp softshrink_row(op_row("softshrink", "elementwise", draw_softshrink));

}  // namespace

Tensor softshrink(const Tensor& self, Scalar lambd, At at) {
  const Operation op("softshrink", at);
  check_parameters(op, self, {lambd});
  if (!(lambd.to<double>() >= 0))
    op.fail<ValueError>("lambda must be greater or equal to 0, but found to be {}",
                        lambd.to<double>());
  return unary(softshrink_kernel, kSoftshrinkDerivative, op, self, {number(lambd)},
               SoftshrinkGradient{number(lambd)});
}
#endif

}  // namespace notape
