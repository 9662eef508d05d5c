// neg(x) = -x,  d/dx = -1
#include "ops/elementwise/operator.h"

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

}  // namespace

#ifndef __CUDACC__
constexpr auto kNegDerivative =
    derivative("NegBackward0", elementwise([](const Tensor& grad) { return neg(grad); }));

const RegisterOp neg_row(unary_spec<Neg>("neg", neg, neg_, {.low = -3, .high = 3}));

Tensor neg(const Tensor& self, At at) {
  return unary(neg_kernel, kNegDerivative, {"neg", at}, self);
}
Tensor& neg_(Tensor& self, At at) { return unary_(neg_kernel, kNegDerivative, {"neg_", at}, self); }
Tensor operator-(Operand self) { return neg(self.tensor, self.at); }

Tensor ElementwiseMembers::neg(At at) const { return notape::neg(self(), at); }
Tensor& ElementwiseMembers::neg_(At at) const { return notape::neg_(self(), at); }
#endif

}  // namespace notape
