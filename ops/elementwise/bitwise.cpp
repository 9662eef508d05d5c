// bitwise_and, bitwise_or, bitwise_xor, bitwise_not: of integers bit by bit, of bools as wholes. No
// derivative.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#include "ops/core/overwrite.h"
#endif

#include <functional>

namespace notape {
namespace {

constexpr TypeSet kIntegersAndBool = kAllTypes & static_cast<TypeSet>(~kFloatTypes);

template <template <typename> typename F>
struct Bitwise {
  static constexpr TypeSet types = kIntegersAndBool;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return F<T>()(a, b);
  }
};
struct BitwiseNot {
  static constexpr TypeSet types = kIntegersAndBool;
  template <typename T>
  NOTAPE_HD T operator()(T a) const {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return static_cast<T>(~a);
  }
};
const ElementwiseKernel<Bitwise<std::bit_and>, 2> bitwise_and_kernel("bitwise_and");
const ElementwiseKernel<Bitwise<std::bit_or>, 2> bitwise_or_kernel("bitwise_or");
const ElementwiseKernel<Bitwise<std::bit_xor>, 2> bitwise_xor_kernel("bitwise_xor");
const ElementwiseKernel<BitwiseNot> not_kernel("bitwise_not");

}  // namespace

#ifndef __CUDACC__
namespace {

/// A number as an operand that does not widen self's integers.
Tensor bitwise_as_tensor(const Operation& op, Scalar number, const Tensor& self) {
  check_operand(op, self);
  const ScalarType type = result_type(self, number);
  check_fits(op, number, type);
  return full({}, number, TensorOptions(type).device(self.device()));
}

void check_whole(const Operation& op, ScalarType type) {
  if (is_floating_point(type)) op.fail<DtypeError>("not implemented for '{}'", type_name_of(type));
}
/// Throws UndefinedTensor, DeviceError, or DtypeError for floating operands.
void check_whole(const Operation& op, const Tensor& self, const Tensor& other) {
  check_operands(op, {&self, &other});
  check_whole(op, result_type(self, other));
}

Tensor bitwise(const Operation& op, const auto& kernel, const Tensor& self, const Tensor& other) {
  check_whole(op, self, other);
  return compute(op, kernel, {}, self, other);
}

Tensor& bitwise_(const Operation& op, const auto& kernel, Tensor& self, const Tensor& other) {
  check_whole(op, self, other);
  check_result_fits(op, self, result_type(self, other), {&self, &other});
  return overwrite(op, self, compute(op, kernel, {}, self, other));
}

}  // namespace

Tensor bitwise_and(const Tensor& self, const Tensor& other, At at) {
  return bitwise({"bitwise_and", at}, bitwise_and_kernel, self, other);
}
Tensor bitwise_and(const Tensor& self, Scalar other, At at) {
  return bitwise_and(self, bitwise_as_tensor({"bitwise_and", at}, other, self), at);
}
Tensor bitwise_or(const Tensor& self, const Tensor& other, At at) {
  return bitwise({"bitwise_or", at}, bitwise_or_kernel, self, other);
}
Tensor bitwise_or(const Tensor& self, Scalar other, At at) {
  return bitwise_or(self, bitwise_as_tensor({"bitwise_or", at}, other, self), at);
}
Tensor bitwise_xor(const Tensor& self, const Tensor& other, At at) {
  return bitwise({"bitwise_xor", at}, bitwise_xor_kernel, self, other);
}
Tensor bitwise_xor(const Tensor& self, Scalar other, At at) {
  return bitwise_xor(self, bitwise_as_tensor({"bitwise_xor", at}, other, self), at);
}
Tensor bitwise_and(Scalar self, const Tensor& other, At at) {
  return bitwise_and(bitwise_as_tensor({"bitwise_and", at}, self, other), other, at);
}
Tensor bitwise_or(Scalar self, const Tensor& other, At at) {
  return bitwise_or(bitwise_as_tensor({"bitwise_or", at}, self, other), other, at);
}
Tensor bitwise_xor(Scalar self, const Tensor& other, At at) {
  return bitwise_xor(bitwise_as_tensor({"bitwise_xor", at}, self, other), other, at);
}
Tensor bitwise_not(const Tensor& self, At at) {
  const Operation op("bitwise_not", at);
  check_operand(op, self);
  check_whole(op, self.dtype());
  return compute(op, not_kernel, {}, self);
}

Tensor operator~(Operand self) { return bitwise_not(self.tensor, self.at); }
Tensor operator&(Operand self, Operand other) {
  return bitwise_and(self.tensor, other.tensor, self.at);
}
Tensor operator&(Operand self, Scalar other) { return bitwise_and(self.tensor, other, self.at); }
Tensor operator|(Operand self, Operand other) {
  return bitwise_or(self.tensor, other.tensor, self.at);
}
Tensor operator|(Operand self, Scalar other) { return bitwise_or(self.tensor, other, self.at); }
Tensor operator^(Operand self, Operand other) {
  return bitwise_xor(self.tensor, other.tensor, self.at);
}
Tensor operator^(Operand self, Scalar other) { return bitwise_xor(self.tensor, other, self.at); }

Tensor ElementwiseMembers::bitwise_and(const Tensor& other, At at) const {
  return notape::bitwise_and(self(), other, at);
}
Tensor ElementwiseMembers::bitwise_and(Scalar other, At at) const {
  return notape::bitwise_and(self(), other, at);
}
Tensor ElementwiseMembers::bitwise_or(const Tensor& other, At at) const {
  return notape::bitwise_or(self(), other, at);
}
Tensor ElementwiseMembers::bitwise_or(Scalar other, At at) const {
  return notape::bitwise_or(self(), other, at);
}
Tensor ElementwiseMembers::bitwise_xor(const Tensor& other, At at) const {
  return notape::bitwise_xor(self(), other, at);
}
Tensor ElementwiseMembers::bitwise_xor(Scalar other, At at) const {
  return notape::bitwise_xor(self(), other, at);
}
Tensor ElementwiseMembers::bitwise_not(At at) const { return notape::bitwise_not(self(), at); }
Tensor& ElementwiseMembers::bitwise_and_(const Tensor& other, At at) const {
  return bitwise_({"bitwise_and_", at}, bitwise_and_kernel, self(), other);
}
Tensor& ElementwiseMembers::bitwise_or_(const Tensor& other, At at) const {
  return bitwise_({"bitwise_or_", at}, bitwise_or_kernel, self(), other);
}
Tensor& ElementwiseMembers::bitwise_xor_(const Tensor& other, At at) const {
  return bitwise_({"bitwise_xor_", at}, bitwise_xor_kernel, self(), other);
}
Tensor& ElementwiseMembers::bitwise_and_(Scalar other, At at) const {
  const Operation op("bitwise_and_", at);
  return bitwise_(op, bitwise_and_kernel, self(), bitwise_as_tensor(op, other, self()));
}
Tensor& ElementwiseMembers::bitwise_or_(Scalar other, At at) const {
  const Operation op("bitwise_or_", at);
  return bitwise_(op, bitwise_or_kernel, self(), bitwise_as_tensor(op, other, self()));
}
Tensor& ElementwiseMembers::bitwise_xor_(Scalar other, At at) const {
  const Operation op("bitwise_xor_", at);
  return bitwise_(op, bitwise_xor_kernel, self(), bitwise_as_tensor(op, other, self()));
}
Tensor& ElementwiseMembers::bitwise_not_(At at) const {
  const Operation op("bitwise_not_", at);
  check_whole(op, self(), self());
  return overwrite(op, self(), compute(op, not_kernel, {}, self()));
}
#endif

}  // namespace notape
