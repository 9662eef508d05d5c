// mul(a, b) = a b,  d/da = b,  d/db = a
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

struct Mul {
  static constexpr TypeSet types = kAllTypes;
  static constexpr bool wraps = true;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * b);
  }
};
struct MulNumber {
  static constexpr TypeSet types = kAllTypes;
  static constexpr bool wraps = true;
  Number number;
  bool factors_are_finite() const { return number.is_finite(); }
  template <typename T>
  NOTAPE_HD T operator()(T a) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * number.as<T>());
  }
};
const ElementwiseKernel<Mul, 2> mul_kernel("mul");
const ElementwiseKernel<MulNumber> mul_number_kernel("mul.number");

}  // namespace

#ifndef __CUDACC__
constexpr auto kMul =
    derivative("MulBackward0",
               elementwise([](const Tensor& grad, const Input<1>& other) { return grad * other; }),
               elementwise([](const Tensor& grad, const Input<0>& self) { return grad * self; }));
constexpr auto kMulNumber = derivative(
    "MulBackward1",
    elementwise([](const Tensor& grad, const MulNumber& f) { return grad * f.number.real; }));

const RegisterOp mul_row(binary_spec<Mul>("mul", mul, mul_,
                                          {.far = Domain{.low = -kFarHigh, .high = kFarHigh},
                                           .far_other = Domain{.low = -kFarHigh, .high = kFarHigh},
                                           .number = mul,
                                           .number_in_place = mul_}));

Tensor mul(const Tensor& self, const Tensor& other, At at) {
  return binary(mul_kernel, kMul, {"mul", at}, self, other);
}
Tensor mul(const Tensor& self, Scalar other, At at) {
  return unary_number(mul_number_kernel, kMulNumber, {"mul", at}, self, other, {number(other)});
}
Tensor& mul_(Tensor& self, const Tensor& other, At at) {
  return binary_(mul_kernel, kMul, {"mul_", at}, self, other);
}
Tensor& mul_(Tensor& self, Scalar other, At at) {
  return unary_number_(mul_number_kernel, kMulNumber, {"mul_", at}, self, other, {number(other)});
}

Tensor operator*(Operand self, Operand other) { return mul(self.tensor, other.tensor, self.at); }
Tensor operator*(Operand self, Scalar other) { return mul(self.tensor, other, self.at); }
Tensor operator*(Scalar self, Operand other) { return mul(other.tensor, self, other.at); }

Tensor ElementwiseMembers::mul(const Tensor& other, At at) const {
  return notape::mul(self(), other, at);
}
Tensor ElementwiseMembers::mul(Scalar other, At at) const { return notape::mul(self(), other, at); }
Tensor& ElementwiseMembers::mul_(const Tensor& other, At at) const {
  return notape::mul_(self(), other, at);
}
Tensor& ElementwiseMembers::mul_(Scalar other, At at) const {
  return notape::mul_(self(), other, at);
}
#endif

}  // namespace notape
