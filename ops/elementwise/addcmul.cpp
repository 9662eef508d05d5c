// addcmul(x, a, b) = x + (value a) b, the last product and the sum rounded once;  d/dx = 1,
// d/da = value b,  d/db = value a
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

struct Addcmul {
  static constexpr TypeSet types = kNumberTypes;
  static constexpr bool wraps = true;
  Number value = {1, 1};
  template <typename T>
  NOTAPE_HD T operator()(T x, T a, T b) const {
    return static_cast<T>(x + static_cast<Wrapping<T>>(a) * value.as<T>() * b);
  }
  // As in LibTorch: what is added may be out of range where the sum is not.
  NOTAPE_HD float operator()(float x, float a, float b) const {
    return ::fmaf(value.as<float>() * a, b, x);
  }
  NOTAPE_HD double operator()(double x, double a, double b) const {
    return ::fma(value.as<double>() * a, b, x);
  }
};
const ElementwiseKernel<Addcmul, 3> addcmul_kernel("addcmul");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor slope_of(const Tensor& factor, const Addcmul& f) {
  return f.value.real == 1 ? factor : factor * f.value.real;
}

constexpr auto kAddcmulDerivative =
    derivative("AddcmulBackward0", elementwise([](const Tensor& grad) { return grad; }),
               elementwise([](const Tensor& grad, const Input<2>& tensor2, const Addcmul& f) {
                 return grad * slope_of(tensor2, f);
               }),
               elementwise([](const Tensor& grad, const Input<1>& tensor1, const Addcmul& f) {
                 return grad * slope_of(tensor1, f);
               }))
        .with_arguments<"self", "tensor1", "tensor2">();

OpCase draw_addcmul(Draw& draw) {
  const auto full = draw.shape(0, 4);
  const bool in_place = draw.boolean();
  const double value = draw.real(-2, 2);
  OpCase one;
  one.label = format_message("value={}", {value});
  one.arguments = {{.sizes = in_place ? full : draw.broadcast_of(full)},
                   {.sizes = draw.broadcast_of(full)},
                   {.sizes = draw.broadcast_of(full)}};
  one.call = [=](const variable_list& x) { return addcmul(x[0], x[1], x[2], value); };
  if (in_place) one.call_in_place = [=](variable_list& x) { addcmul_(x[0], x[1], x[2], value); };
  one.reference = elementwise_reference(Addcmul{number(value)});
  return one;
}

Addcmul checked_addcmul(const Operation& op, const Tensor& self, const Tensor& tensor1,
                        const Tensor& tensor2, Scalar value) {
  check_operands(op, {&self, &tensor1, &tensor2});
  ResultType type;
  for (const Tensor* operand : {&self, &tensor1, &tensor2}) type.add(*operand);
  check_factor_fits(op, value, type.get());
  return {number(value)};
}

const RegisterOp addcmul_row({.name = "addcmul", .family = "elementwise", .draw = draw_addcmul});

}  // namespace

Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value,
               At at) {
  const Operation op("addcmul", at);
  const Addcmul f = checked_addcmul(op, self, tensor1, tensor2, value);
  return ternary(addcmul_kernel, kAddcmulDerivative, op, self, tensor1, tensor2, f, f);
}
Tensor& addcmul_(Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, At at) {
  const Operation op("addcmul_", at);
  const Addcmul f = checked_addcmul(op, self, tensor1, tensor2, value);
  return ternary_(addcmul_kernel, kAddcmulDerivative, op, self, tensor1, tensor2, f, f);
}

Tensor ElementwiseMembers::addcmul(const Tensor& tensor1, const Tensor& tensor2, Scalar value,
                                   At at) const {
  return notape::addcmul(self(), tensor1, tensor2, value, at);
}
Tensor& ElementwiseMembers::addcmul_(const Tensor& tensor1, const Tensor& tensor2, Scalar value,
                                     At at) const {
  return notape::addcmul_(self(), tensor1, tensor2, value, at);
}
#endif

}  // namespace notape
