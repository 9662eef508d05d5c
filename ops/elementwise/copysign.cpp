// copysign(x, y) = |x| with the sign of y,  d/dx = 1 or -1, and 0 at 0,  d/dy = 0
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#endif

namespace notape {
namespace {

struct Copysign {
  template <typename T>
  NOTAPE_HD T operator()(T x, T y) const {
    const T size = math::abs(x);
    return math::signbit(y) ? -size : size;
  }
};
struct CopysignGradient {
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x, T y) const {
    if (x == T(0)) return T(0);
    return math::signbit(x) != math::signbit(y) ? -grad : grad;
  }
};
const ElementwiseKernel<Copysign, 2> copysign_kernel("copysign");
const ElementwiseKernel<CopysignGradient, 3> copysign_gradient_kernel("copysign.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor copysign_gradient(const Tensor& grad, const Tensor& x, const Tensor& y);

constexpr auto kCopysignGradient =
    derivative("CopysignBackwardBackward0",
               elementwise([](const Tensor& grad, const Input<1>& x, const Input<2>& y) {
                 return copysign_gradient(grad, x, y);
               }),
               not_differentiable, not_differentiable);
constexpr auto kCopysignDerivative =
    derivative("CopysignBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return copysign_gradient(grad, self, other);
               }),
               elementwise([](const Tensor& grad) { return zeros_like(grad); }));

Tensor copysign_gradient(const Tensor& grad, const Tensor& x, const Tensor& y) {
  return ternary(copysign_gradient_kernel, kCopysignGradient, {"copysign_backward", At::current()},
                 grad, x, y);
}

const Domain kEitherSide = {.low = -3, .high = 3, .kinks = {0}};
const RegisterOp copysign_row(binary_spec<Copysign>("copysign", copysign, copysign_,
                                                    {.domain = kEitherSide, .other = kEitherSide}));

/// As an operand that does not widen self.
Tensor copysign_as_tensor(const Operation& op, Scalar number, const Tensor& self) {
  check_operand(op, self);
  return full({}, number, TensorOptions(floating_type(self.dtype())).device(self.device()));
}

}  // namespace

Tensor copysign(const Tensor& self, const Tensor& other, At at) {
  return binary(copysign_kernel, kCopysignDerivative, {"copysign", at}, self, other);
}
Tensor copysign(const Tensor& self, Scalar other, At at) {
  return copysign(self, copysign_as_tensor({"copysign", at}, other, self), at);
}
Tensor& copysign_(Tensor& self, const Tensor& other, At at) {
  return binary_(copysign_kernel, kCopysignDerivative, {"copysign_", at}, self, other);
}
Tensor& copysign_(Tensor& self, Scalar other, At at) {
  return copysign_(self, copysign_as_tensor({"copysign_", at}, other, self), at);
}

Tensor ElementwiseMembers::copysign(const Tensor& other, At at) const {
  return notape::copysign(self(), other, at);
}
Tensor ElementwiseMembers::copysign(Scalar other, At at) const {
  return notape::copysign(self(), other, at);
}
Tensor& ElementwiseMembers::copysign_(const Tensor& other, At at) const {
  return notape::copysign_(self(), other, at);
}
Tensor& ElementwiseMembers::copysign_(Scalar other, At at) const {
  return notape::copysign_(self(), other, at);
}
#endif

}  // namespace notape
