// remainder(a, b) = a - b floor(a / b),  d/da = 1,  d/db = -floor(a / b)
#include "ops/elementwise/remainder.h"
#include "ops/elementwise/divisors.h"

namespace notape {
namespace {

const ElementwiseKernel<Remainder, 2> remainder_kernel("remainder");
const ElementwiseKernel<RemainderMultiple, 2> remainder_multiple_kernel("remainder.multiple");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kRemainderMultiple = derivative(
    "RemainderBackwardBackward0", elementwise([](const Tensor& grad) { return zeros_like(grad); }),
    elementwise([](const Tensor& grad) { return zeros_like(grad); }));
constexpr auto kRemainderDerivative =
    derivative("RemainderBackward0", elementwise([](const Tensor& grad) { return grad; }),
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return -grad * binary(remainder_multiple_kernel, kRemainderMultiple,
                                       {"remainder_backward", At::current()}, self, other);
               }));

const RegisterOp remainder_row(binary_spec<Remainder>("remainder", remainder, remainder_,
                                                      {.domain = {.low = 0.3, .high = 0.7},
                                                       .other = {.low = 0.75, .high = 3},
                                                       .number = remainder,
                                                       .number_in_place = remainder_}));

}  // namespace

Tensor remainder(const Tensor& self, const Tensor& other, At at) {
  const Operation op("remainder", at);
  check_divisors(op, self, other);
  return binary(remainder_kernel, kRemainderDerivative, op, self, other);
}
Tensor remainder(const Tensor& self, Scalar other, At at) {
  const Operation op("remainder", at);
  return binary(remainder_kernel, kRemainderDerivative, op, self, as_divisor(op, self, other));
}
Tensor remainder(Scalar self, const Tensor& other, At at) {
  const Operation op("remainder", at);
  check_operand(op, other);
  const ScalarType type = result_type(other, self);
  check_fits(op, self, type);
  return remainder(full({}, self, TensorOptions(type).device(other.device())), other, at);
}
Tensor& remainder_(Tensor& self, const Tensor& other, At at) {
  const Operation op("remainder_", at);
  check_divisors(op, self, other);
  return binary_(remainder_kernel, kRemainderDerivative, op, self, other);
}
Tensor& remainder_(Tensor& self, Scalar other, At at) {
  const Operation op("remainder_", at);
  return binary_(remainder_kernel, kRemainderDerivative, op, self, as_divisor(op, self, other));
}

Tensor operator%(Operand self, Operand other) {
  return remainder(self.tensor, other.tensor, self.at);
}
Tensor operator%(Operand self, Scalar other) { return remainder(self.tensor, other, self.at); }
Tensor operator%(Scalar self, Operand other) { return remainder(self, other.tensor, other.at); }

Tensor ElementwiseMembers::remainder(const Tensor& other, At at) const {
  return notape::remainder(self(), other, at);
}
Tensor ElementwiseMembers::remainder(Scalar other, At at) const {
  return notape::remainder(self(), other, at);
}
Tensor& ElementwiseMembers::remainder_(const Tensor& other, At at) const {
  return notape::remainder_(self(), other, at);
}
Tensor& ElementwiseMembers::remainder_(Scalar other, At at) const {
  return notape::remainder_(self(), other, at);
}
#endif

}  // namespace notape
