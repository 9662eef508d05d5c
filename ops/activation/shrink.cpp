// hardshrink(x) = x where |x| > lambd, else 0; softshrink(x) = x moved toward 0 by lambd, and 0
// where |x| <= lambd
#include "ops/activation/activation.h"

namespace notape {
namespace {

/// Whether x is shrunk to 0.
template <typename T>
NOTAPE_HD bool is_within(T x, T bound) {
  return x >= -bound && x <= bound;
}
struct Hardshrink {
  Number lambd;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return is_within(x, lambd.as<T>()) ? T(0) : x;
  }
};
struct Softshrink {
  Number lambd;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T bound = lambd.as<T>();
    return x > bound ? x - bound : x < -bound ? x + bound : x - x;
  }
};
/// Of the one and of the other.
template <typename Shrink>
struct ShrinkGradient {
  Number lambd;
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x) const {
    return is_within(x, lambd.as<T>()) ? T(0) : grad;
  }
};
const ElementwiseKernel<Hardshrink> hardshrink_kernel("hardshrink");
const ElementwiseKernel<Softshrink> softshrink_kernel("softshrink");
const ElementwiseKernel<ShrinkGradient<Hardshrink>, 2> hardshrink_gradient_kernel(
    "hardshrink.gradient");
const ElementwiseKernel<ShrinkGradient<Softshrink>, 2> softshrink_gradient_kernel(
    "softshrink.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

template <typename F>
Tensor shrink_gradient(const Tensor& grad, const Tensor& x, const F& f);

template <typename F>
constexpr auto shrink_gradient_derivative(const char* node) {
  return derivative(node, selection([](const Tensor& grad, const Input<1>& x, const F& f) {
                      return shrink_gradient(grad, x, f);
                    }),
                    not_differentiable);
}
template <typename F>
constexpr auto shrink_derivative(const char* node) {
  return derivative(node, selection([](const Tensor& grad, const Input<0>& self, const F& f) {
                      return shrink_gradient(grad, self, f);
                    }));
}
using HardGradient = ShrinkGradient<Hardshrink>;
using SoftGradient = ShrinkGradient<Softshrink>;
constexpr auto kHardGradient =
    shrink_gradient_derivative<HardGradient>("HardshrinkBackwardBackward0");
constexpr auto kSoftGradient =
    shrink_gradient_derivative<SoftGradient>("SoftshrinkBackwardBackward0");
constexpr auto kHardshrink = shrink_derivative<HardGradient>("HardshrinkBackward0");
constexpr auto kSoftshrink = shrink_derivative<SoftGradient>("SoftshrinkBackward0");

template <typename F>
Tensor shrink_gradient(const Tensor& grad, const Tensor& x, const F& f) {
  if constexpr (std::same_as<F, HardGradient>)
    return binary(hardshrink_gradient_kernel, kHardGradient, {"hardshrink_backward", At::current()},
                  grad, x, f, f);
  else
    return binary(softshrink_gradient_kernel, kSoftGradient, {"softshrink_backward", At::current()},
                  grad, x, f, f);
}

template <typename F, auto shrink>
OpCase draw_shrink(Draw& draw) {
  const double lambd = draw.real(0.25, 1.25);
  return activation_case(
      draw, format_message("lambd={}", {lambd}), {.low = -3, .high = 3, .kinks = {-lambd, lambd}},
      [=](const Tensor& x) { return shrink(x, lambd, At::current()); }, nullptr, F{number(lambd)});
}

const RegisterOp hardshrink_row(op_row("hardshrink", "elementwise",
                                       draw_shrink<Hardshrink, hardshrink>, Trait::Clamps));
const RegisterOp softshrink_row(op_row("softshrink", "elementwise",
                                       draw_shrink<Softshrink, softshrink>));

}  // namespace

Tensor hardshrink(const Tensor& self, Scalar lambd, At at) {
  const Operation op("hardshrink", at);
  check_parameters(op, self, {lambd});
  return unary(hardshrink_kernel, kHardshrink, op, self, {number(lambd)},
               HardGradient{number(lambd)});
}
Tensor softshrink(const Tensor& self, Scalar lambd, At at) {
  const Operation op("softshrink", at);
  check_parameters(op, self, {lambd});
  if (!(lambd.to<double>() >= 0))
    op.fail<ValueError>("lambda must be greater or equal to 0, but found to be {}",
                        lambd.to<double>());
  return unary(softshrink_kernel, kSoftshrink, op, self, {number(lambd)},
               SoftGradient{number(lambd)});
}

Tensor ElementwiseMembers::hardshrink(Scalar lambd, At at) const {
  return notape::hardshrink(self(), lambd, at);
}
#endif

}  // namespace notape
