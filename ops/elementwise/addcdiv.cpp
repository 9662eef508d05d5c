// addcdiv(x, a, b) = x + value a / b,  d/dx = 1,  d/da = value / b,  d/db = -value a / b^2
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/elementwise/div_slope.h"
#include "ops/spec/without_tails.h"
#endif

namespace notape {
namespace {

struct Addcdiv {
  Number value = {1, 1};
  template <typename T>
  NOTAPE_HD T operator()(T x, T a, T b) const {
    return x + value.as<T>() * (a / b);
  }
};
const ElementwiseKernel<Addcdiv, 3> addcdiv_kernel("addcdiv");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kAddcdivDerivative =
    derivative("AddcdivBackward0", elementwise([](const Tensor& grad) { return grad; }),
               elementwise([](const Tensor& grad, const Input<2>& tensor2, const Addcdiv& f) {
                 return grad * f.value.real / tensor2;
               }),
               elementwise([](const Tensor& grad, const Input<1>& tensor1, const Input<2>& tensor2,
                              const Addcdiv& f) {
                 if (f.value.real == 0) return grad * 0;  // also where the slope overflows
                 return grad * -f.value.real * div_slope(tensor1, tensor2);
               }))
        .with_arguments<"self", "tensor1", "tensor2">();

OpCase draw_addcdiv(Draw& draw) {
  const auto full = draw.shape(0, 4);
  const bool in_place = draw.boolean();
  const double value = draw.real(-2, 2);
  OpCase one;
  one.label = format_message("value={}", {value});
  one.arguments = {{.sizes = in_place ? full : draw.broadcast_of(full)},
                   {.sizes = draw.broadcast_of(full)},
                   {.sizes = draw.broadcast_of(full), .domain = {.low = 0.3, .high = 4}}};
  one.call = [=](const variable_list& x) { return addcdiv(x[0], x[1], x[2], value); };
  if (in_place) one.call_in_place = [=](variable_list& x) { addcdiv_(x[0], x[1], x[2], value); };
  one.reference = elementwise_reference(Addcdiv{number(value)});
  return one;
}

Addcdiv checked_addcdiv(const Operation& op, const Tensor& self, const Tensor& tensor1,
                        const Tensor& tensor2, Scalar value) {
  check_operands(op, {&self, &tensor1, &tensor2});
  if (!tensor1.is_floating_point() && !tensor2.is_floating_point())
    op.fail<DtypeError>(
        "Integer division with addcdiv is not supported: tensor1 is {} and tensor2 is {}",
        name_of(tensor1.dtype()), name_of(tensor2.dtype()));
  ResultType type;
  for (const Tensor* operand : {&self, &tensor1, &tensor2}) type.add(*operand);
  check_factor_fits(op, value, type.get());
  return {number(value)};
}

const RegisterOp addcdiv_row({.name = "addcdiv", .family = "elementwise", .draw = draw_addcdiv});
const RegisterWithoutTails tails(
    {.row = "addcdiv",
     .reason = "has factors that leave the range of numbers where their product does not"});

}  // namespace

Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value,
               At at) {
  const Operation op("addcdiv", at);
  const Addcdiv f = checked_addcdiv(op, self, tensor1, tensor2, value);
  return ternary(addcdiv_kernel, kAddcdivDerivative, op, self, tensor1, tensor2, f, f);
}
Tensor& addcdiv_(Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, At at) {
  const Operation op("addcdiv_", at);
  const Addcdiv f = checked_addcdiv(op, self, tensor1, tensor2, value);
  return ternary_(addcdiv_kernel, kAddcdivDerivative, op, self, tensor1, tensor2, f, f);
}

Tensor ElementwiseMembers::addcdiv(const Tensor& tensor1, const Tensor& tensor2, Scalar value,
                                   At at) const {
  return notape::addcdiv(self(), tensor1, tensor2, value, at);
}
Tensor& ElementwiseMembers::addcdiv_(const Tensor& tensor1, const Tensor& tensor2, Scalar value,
                                     At at) const {
  return notape::addcdiv_(self(), tensor1, tensor2, value, at);
}
#endif

}  // namespace notape
