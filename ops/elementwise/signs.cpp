// neg(x) = -x,  d/dx = -1;  abs(x) = |x|,  d/dx = sign(x): 0 at 0;  sign(x) = -1, 0 or 1,  d/dx = 0
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#endif

namespace notape {
namespace {

struct Neg {
  static constexpr TypeSet types = kNumberTypes;
  static constexpr bool wraps = true;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return static_cast<T>(-x);
  }
};
const ElementwiseKernel<Neg> neg_kernel(
    "neg",
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
    "mask, use `logical_not()` instead.");
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
struct Sign {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>)
      return x != T(0);
    else
      return static_cast<T>((x > T(0)) - (x < T(0)));
  }
};
const ElementwiseKernel<Sign> sign_kernel("sign");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kNeg(neg_kernel, "NegBackward0",
                             elementwise([](const Tensor& grad) { return neg(grad); }));

const RegisterOp neg_row(unary_spec<Neg>("neg", neg, neg_, {.low = -3, .high = 3}));

Tensor neg(const Tensor& self, At at) { return kNeg({"neg", at}, self); }
Tensor& neg_(Tensor& self, At at) { return kNeg.in_place({"neg_", at}, self); }
Tensor operator-(Operand self) { return neg(self.tensor, self.at); }

Tensor ElementwiseMembers::neg(At at) const { return notape::neg(self(), at); }
Tensor& ElementwiseMembers::neg_(At at) const { return notape::neg_(self(), at); }

namespace {

Tensor abs_gradient(const Tensor& grad, const Tensor& self);

constexpr auto kAbsGradient = derivative(
    "AbsBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<1>& self) { return abs_gradient(grad, self); }),
    not_differentiable);
constexpr UnaryOperator kAbs(abs_kernel, "AbsBackward0",
                             elementwise([](const Tensor& grad, const Input<0>& self) {
                               return abs_gradient(grad, self);
                             }));

Tensor abs_gradient(const Tensor& grad, const Tensor& self) {
  return binary(abs_gradient_kernel, kAbsGradient, {"abs_backward", At::current()}, grad, self);
}

const RegisterOp abs_row(unary_spec<Abs>("abs", abs, abs_, {.low = -3, .high = 3, .kinks = {0}}));

}  // namespace

Tensor abs(const Tensor& self, At at) { return kAbs({"abs", at}, self); }
Tensor& abs_(Tensor& self, At at) { return kAbs.in_place({"abs_", at}, self); }

Tensor ElementwiseMembers::abs(At at) const { return notape::abs(self(), at); }
Tensor& ElementwiseMembers::abs_(At at) const { return notape::abs_(self(), at); }

constexpr UnaryOperator kSign(sign_kernel, "SignBackward0",
                              elementwise([](const Tensor& grad) { return zeros_like(grad); }));

const RegisterOp sign_row(unary_spec<Sign>("sign", sign, sign_,
                                           {.low = -3, .high = 3, .kinks = {0}}));

Tensor sign(const Tensor& self, At at) { return kSign({"sign", at}, self); }
Tensor& sign_(Tensor& self, At at) { return kSign.in_place({"sign_", at}, self); }

Tensor ElementwiseMembers::sign(At at) const { return notape::sign(self(), at); }
Tensor& ElementwiseMembers::sign_(At at) const { return notape::sign_(self(), at); }
#endif

}  // namespace notape
