// sub(a, b) = a - alpha b,  d/da = 1,  d/db = -alpha;  rsub(a, c) = c - a
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#endif

namespace notape {
namespace {

struct Sub {
  static constexpr TypeSet types = kNumberTypes;
  static constexpr bool wraps = true;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};
struct SubFromNumber {
  static constexpr TypeSet types = kNumberTypes;
  static constexpr bool wraps = true;
  Number number;
  template <typename T>
  NOTAPE_HD T operator()(T a) const {
    return static_cast<T>(number.as<T>() - a);
  }
};
const ElementwiseKernel<Sub, 2> sub_kernel("sub");
const ElementwiseKernel<SubFromNumber> rsub_kernel("rsub");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kSub =
    derivative("SubBackward0", elementwise([](const Tensor& grad) { return grad; }),
               elementwise([](const Tensor& grad) { return -grad; }));
constexpr auto kRsub =
    derivative("RsubBackward1", elementwise([](const Tensor& grad) { return -grad; }));

const RegisterOp sub_row(binary_spec<Sub>(
    "sub", [](const Tensor& a, const Tensor& b, At at) { return sub(a, b, 1, at); },
    [](Tensor& a, const Tensor& b, At at) -> Tensor& { return sub_(a, b, 1, at); },
    {.number = [](const Tensor& a, Scalar b, At at) { return sub(a, b, 1, at); },
     .number_in_place = [](Tensor& a, Scalar b, At at) -> Tensor& { return sub_(a, b, 1, at); }}));
const RegisterOp rsub_row({.name = "rsub", .family = "elementwise", .draw = [](Draw& draw) {
                             const double other = draw.real(-3, 3);
                             OpCase one;
                             one.label = format_message("other={}", {other});
                             one.arguments = {{.sizes = draw.shape(0, 4)}};
                             one.call = [=](const variable_list& x) { return rsub(x[0], other); };
                             one.reference = elementwise_reference(SubFromNumber{number(other)});
                             return one;
                           }});

ScalarType type_of(const Tensor& operand) { return operand.defined() ? operand.dtype() : kFloat32; }
ScalarType type_of(Scalar operand) { return operand.type(); }

template <typename Other>
void check_not_bool(const Operation& op, const Tensor& self, const Other& other) {
  if constexpr (std::same_as<Other, Tensor>)
    check_operands(op, {&self, &other});
  else
    check_operand(op, self);
  const bool left = type_of(self) == kBool, right = type_of(other) == kBool;
  if (left && right)
    op.fail<DtypeError>(
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use `!=` instead.");
  if (left || right)
    op.fail<DtypeError>(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
        "invert a mask, use `logical_not()` instead.");
}

/// The least whole number has no negative of its type; real numbers have it.
template <typename Other>
Scalar negated(Scalar alpha, const Tensor& self, const Other& other) {
  const bool is_real = is_floating_point(result_type(self, other));
  return is_real ? Scalar(-alpha.to_double()) : -alpha;
}

}  // namespace

Tensor sub(const Tensor& self, const Tensor& other, Scalar alpha, At at) {
  const Operation op("sub", at);
  check_not_bool(op, self, other);
  if (!alpha.equals(1)) return add(self, other, negated(alpha, self, other), at);
  return binary(sub_kernel, kSub, op, self, other);
}
Tensor sub(const Tensor& self, Scalar other, Scalar alpha, At at) {
  const Operation op("sub", at);
  check_not_bool(op, self, other);
  check_operand_fits(op, other, result_type(self, other));
  return add(self, other, negated(alpha, self, other), at);
}
Tensor& sub_(Tensor& self, const Tensor& other, Scalar alpha, At at) {
  const Operation op("sub_", at);
  check_not_bool(op, self, other);
  if (!alpha.equals(1)) return add_(self, other, negated(alpha, self, other), at);
  return binary_(sub_kernel, kSub, op, self, other);
}
Tensor& sub_(Tensor& self, Scalar other, Scalar alpha, At at) {
  const Operation op("sub_", at);
  check_not_bool(op, self, other);
  check_operand_fits(op, other, result_type(self, other));
  return add_(self, other, negated(alpha, self, other), at);
}
Tensor rsub(const Tensor& self, Scalar other, At at) {
  const Operation op("rsub", at);
  check_not_bool(op, self, other);
  return unary_number(rsub_kernel, kRsub, op, self, other, {number(other)});
}
Tensor rsub(const Tensor& self, Scalar other, Scalar alpha, At at) {
  const Operation op("rsub", at);
  check_not_bool(op, self, other);
  const Tensor minuend =
      full({}, other, TensorOptions(result_type(self, other)).device(self.device()));
  return add(minuend, self, negated(alpha, self, other), at);
}
Tensor rsub(const Tensor& self, const Tensor& other, Scalar alpha, At at) {
  check_not_bool({"rsub", at}, self, other);
  return add(other, self, negated(alpha, self, other), at);
}

Tensor operator-(Operand self, Operand other) { return sub(self.tensor, other.tensor, 1, self.at); }
Tensor operator-(Operand self, Scalar other) { return sub(self.tensor, other, 1, self.at); }
Tensor operator-(Scalar self, Operand other) { return rsub(other.tensor, self, other.at); }

Tensor ElementwiseMembers::sub(const Tensor& other, Scalar alpha, At at) const {
  return notape::sub(self(), other, alpha, at);
}
Tensor ElementwiseMembers::sub(Scalar other, Scalar alpha, At at) const {
  return notape::sub(self(), other, alpha, at);
}
Tensor& ElementwiseMembers::sub_(const Tensor& other, Scalar alpha, At at) const {
  return notape::sub_(self(), other, alpha, at);
}
Tensor& ElementwiseMembers::sub_(Scalar other, Scalar alpha, At at) const {
  return notape::sub_(self(), other, alpha, at);
}
#endif

}  // namespace notape
