// add(a, b) = a + alpha b,  d/da = 1,  d/db = alpha
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

struct Add {
  static constexpr TypeSet types = kAllTypes;
  static constexpr bool wraps = true;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct AddScaled {
  static constexpr TypeSet types = kAllTypes;
  static constexpr bool wraps = true;
  Number alpha;
  bool factors_are_finite() const { return alpha.is_finite(); }
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return static_cast<T>(a + static_cast<Wrapping<T>>(b) * alpha.as<T>());
  }
};
struct AddNumber {
  static constexpr TypeSet types = kAllTypes;
  static constexpr bool wraps = true;
  Number number;
  template <typename T>
  NOTAPE_HD T operator()(T a) const {
    return static_cast<T>(a + number.as<T>());
  }
};
const ElementwiseKernel<Add, 2> add_kernel("add");
const ElementwiseKernel<AddScaled, 2> scaled_kernel("add.scaled");
const ElementwiseKernel<AddNumber> add_number_kernel("add.number");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto pass_on = [](const Tensor& grad) { return grad; };
constexpr auto kAdd = derivative("AddBackward0", elementwise(pass_on), elementwise(pass_on));
constexpr auto kAddScaled = derivative(
    "AddBackward0", elementwise(pass_on),
    elementwise([](const Tensor& grad, const AddScaled& f) { return grad * f.alpha.real; }));
constexpr auto kAddNumber = derivative("AddBackward1", elementwise(pass_on));

const RegisterOp add_row(binary_spec<Add>(
    "add", [](const Tensor& a, const Tensor& b, At at) { return add(a, b, 1, at); },
    [](Tensor& a, const Tensor& b, At at) -> Tensor& { return add_(a, b, 1, at); },
    {.number = [](const Tensor& a, Scalar b, At at) { return add(a, b, 1, at); },
     .number_in_place = [](Tensor& a, Scalar b, At at) -> Tensor& { return add_(a, b, 1, at); }}));

/// other * alpha, which must fit `type`. For +-1 it is `other` that must: the sum wraps as it
/// should.
Number product(const Operation& op, Scalar other, Scalar alpha, ScalarType type) {
  const double real = other.to<double>() * alpha.to<double>();
  if (other.is_floating_point() || alpha.is_floating_point() || is_floating_point(type))
    return number(real);
  int64_t whole = 0;
  if (__builtin_mul_overflow(other.to_int(), alpha.to_int(), &whole))
    op.fail<ValueError>("value cannot be converted to type int64_t without overflow");
  if (!alpha.equals(1) && !alpha.equals(-1)) check_operand_fits(op, whole, type);
  return {real, whole};
}
bool is_plain_one(Scalar alpha) { return alpha.type() == kInt64 && alpha.to_int() == 1; }
AddScaled scaled(const Operation& op, const Tensor& self, const Tensor& other, Scalar alpha) {
  check_operands(op, {&self, &other});
  const ScalarType type = result_type(self, other);
  check_alpha(op, type, alpha);
  check_factor_fits(op, alpha, type);
  return {number(alpha)};
}
AddNumber scaled(const Operation& op, const Tensor& self, Scalar other, Scalar alpha) {
  if (is_plain_one(alpha)) return {number(other)};
  check_operand(op, self);
  const ScalarType type = result_type(self, other);
  check_alpha(op, type, alpha);
  check_factor_fits(op, alpha, type);
  return {product(op, other, alpha, type)};
}

}  // namespace

Tensor add(const Tensor& self, const Tensor& other, Scalar alpha, At at) {
  const Operation op("add", at);
  if (is_plain_one(alpha)) [[likely]]
    return binary(add_kernel, kAdd, op, self, other);
  const AddScaled f = scaled(op, self, other, alpha);
  return binary(scaled_kernel, kAddScaled, op, self, other, f, f);
}
Tensor add(const Tensor& self, Scalar other, Scalar alpha, At at) {
  const Operation op("add", at);
  return unary_number(add_number_kernel, kAddNumber, op, self, other,
                      scaled(op, self, other, alpha));
}
Tensor& add_(Tensor& self, const Tensor& other, Scalar alpha, At at) {
  const Operation op("add_", at);
  if (is_plain_one(alpha)) [[likely]]
    return binary_(add_kernel, kAdd, op, self, other);
  const AddScaled f = scaled(op, self, other, alpha);
  return binary_(scaled_kernel, kAddScaled, op, self, other, f, f);
}
Tensor& add_(Tensor& self, Scalar other, Scalar alpha, At at) {
  const Operation op("add_", at);
  return unary_number_(add_number_kernel, kAddNumber, op, self, other,
                       scaled(op, self, other, alpha));
}

/// target += value outside any graph; the engine sums gradients with it.
void add_raw(const Tensor& target, const Tensor& value) {
  if (target.is_pinned()) [[unlikely]]
    target.impl().storage()->finish_copies();
  compute_into({"accumulate", At::current()}, add_kernel, {}, target, target, value);
}

Tensor operator+(Operand self, Operand other) {
  return binary(add_kernel, kAdd, {"add", self.at}, self.tensor, other.tensor);
}
Tensor operator+(Operand self, Scalar other) { return add(self.tensor, other, 1, self.at); }
Tensor operator+(Scalar self, Operand other) { return add(other.tensor, self, 1, other.at); }

Tensor ElementwiseMembers::add(const Tensor& other, Scalar alpha, At at) const {
  return notape::add(self(), other, alpha, at);
}
Tensor ElementwiseMembers::add(Scalar other, Scalar alpha, At at) const {
  return notape::add(self(), other, alpha, at);
}
Tensor& ElementwiseMembers::add_(const Tensor& other, Scalar alpha, At at) const {
  return notape::add_(self(), other, alpha, at);
}
Tensor& ElementwiseMembers::add_(Scalar other, Scalar alpha, At at) const {
  return notape::add_(self(), other, alpha, at);
}
#endif

}  // namespace notape
