// hardsigmoid(x) = clamp(x / 6 + 1 / 2, 0, 1),  d/dx = 1 / 6 between -3 and 3, else 0
#include "ops/activation/activation.h"

namespace notape {
namespace {

struct Hardsigmoid {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T raised = math::max(x + T(3), T(0));
    return math::min(raised, T(6)) / T(6);
  }
};
struct HardsigmoidGradient {
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x) const {
    return x <= T(-3) || x >= T(3) ? T(0) : grad / T(6);
  }
};
const ElementwiseKernel<Hardsigmoid> hardsigmoid_kernel("hardsigmoid");
const ElementwiseKernel<HardsigmoidGradient, 2> hardsigmoid_gradient_kernel("hardsigmoid.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor hardsigmoid_gradient(const Tensor& grad, const Tensor& x);

constexpr auto kHardsigmoidGradient = derivative(
    "HardsigmoidBackwardBackward0",
    selection([](const Tensor& grad, const Input<1>& x) { return hardsigmoid_gradient(grad, x); }),
    not_differentiable);
constexpr FloatingOperator kHardsigmoid(hardsigmoid_kernel, "HardsigmoidBackward0",
                                        selection([](const Tensor& grad, const Input<0>& self) {
                                          return hardsigmoid_gradient(grad, self);
                                        }));

Tensor hardsigmoid_gradient(const Tensor& grad, const Tensor& x) {
  return binary(hardsigmoid_gradient_kernel, kHardsigmoidGradient,
                {"hardsigmoid_backward", At::current()}, grad, x);
}

const RegisterOp hardsigmoid_row(unary_spec<Hardsigmoid>("hardsigmoid", hardsigmoid, hardsigmoid_,
                                                         {.low = -5, .high = 5, .kinks = {-3, 3}}));

}  // namespace

Tensor hardsigmoid(const Tensor& self, At at) { return kHardsigmoid({"hardsigmoid", at}, self); }
Tensor& hardsigmoid_(Tensor& self, At at) {
  return kHardsigmoid.in_place({"hardsigmoid_", at}, self);
}
#endif

}  // namespace notape
