// square(x) = x * x,  d/dx = 2 x
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

struct Square {
  static constexpr TypeSet types = kNumberTypes;
  static constexpr bool wraps = true;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return static_cast<T>(static_cast<Wrapping<T>>(x) * x);
  }
};
const ElementwiseKernel<Square> square_kernel("square");

}  // namespace

#ifndef __CUDACC__
constexpr auto kSquareDerivative = derivative(
    "SquareBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return grad * self * 2; }));

const RegisterOp square_row(unary_spec<Square>("square", square, square_, {.low = -3, .high = 3},
                                               Domain{.low = -kFarHigh, .high = kFarHigh}));

Tensor square(const Tensor& self, At at) {
  return unary_number(square_kernel, kSquareDerivative, {"square", at}, self, 2,
                      {});  // bools become integers
}
Tensor& square_(Tensor& self, At at) {
  return unary_number_(square_kernel, kSquareDerivative, {"square_", at}, self, 2, {});
}

Tensor ElementwiseMembers::square(At at) const { return notape::square(self(), at); }
Tensor& ElementwiseMembers::square_(At at) const { return notape::square_(self(), at); }
#endif

}  // namespace notape
