// abs(x) = |x|,  d/dx = sign(x): 0 at 0
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

struct Abs {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>)
      return x;
    else if constexpr (std::is_integral_v<T>)
      return x < 0 ? static_cast<T>(-static_cast<Wrapping<T>>(x)) : x;
    else
      return math::abs(x);
  }
};
/// The gradient, with the sign of x.
struct AbsGradient {
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x) const {
    return x > T(0) ? grad : x < T(0) ? -grad : T(0);
  }
};
const ElementwiseKernel<Abs> abs_kernel("abs");
const ElementwiseKernel<AbsGradient, 2> abs_gradient_kernel("abs.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor abs_gradient(const Tensor& grad, const Tensor& self);

constexpr auto kAbsGradient = derivative(
    "AbsBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<1>& self) { return abs_gradient(grad, self); }),
    not_differentiable);
constexpr auto kAbsDerivative = derivative(
    "AbsBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return abs_gradient(grad, self); }));

Tensor abs_gradient(const Tensor& grad, const Tensor& self) {
  return binary(abs_gradient_kernel, kAbsGradient, {"abs_backward", At::current()}, grad, self);
}

const RegisterOp abs_row(unary_spec<Abs>("abs", abs, abs_, {.low = -3, .high = 3, .kinks = {0}}));

}  // namespace

Tensor abs(const Tensor& self, At at) {
  return unary(abs_kernel, kAbsDerivative, {"abs", at}, self);
}
Tensor& abs_(Tensor& self, At at) { return unary_(abs_kernel, kAbsDerivative, {"abs_", at}, self); }

Tensor ElementwiseMembers::abs(At at) const { return notape::abs(self(), at); }
Tensor& ElementwiseMembers::abs_(At at) const { return notape::abs_(self(), at); }
#endif

}  // namespace notape
