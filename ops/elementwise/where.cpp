// where(c, a, b) = a where c holds, else b. The gradient goes to the chosen one; the other's is
// exactly 0 there, whatever the gradient is.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#include "autograd/warning.h"
#endif

namespace notape {
namespace {

struct Where {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = T(bool, T, T);
  template <typename T>
  NOTAPE_HD T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};
/// x where the condition is `kept`, else the number.
struct WhereNumber {
  static constexpr TypeSet types = kAllTypes;
  Number number;
  bool kept;
  template <typename T>
  using Signature = T(bool, T);
  template <typename T>
  NOTAPE_HD T operator()(bool condition, T x) const {
    return condition == kept ? x : number.as<T>();
  }
};
const ElementwiseKernel<Where, 3> where_kernel("where");
const ElementwiseKernel<WhereNumber, 2> where_number_kernel("where.number");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kWhere = derivative("WhereBackward0", not_differentiable,
                                   selection([](const Tensor& grad, const Input<0>& condition) {
                                     return where(condition, grad, 0);
                                   }),
                                   selection([](const Tensor& grad, const Input<0>& condition) {
                                     return where(condition, 0, grad);
                                   }));
constexpr auto kWhereNumber =
    derivative("WhereBackward0", not_differentiable,
               selection([](const Tensor& grad, const Input<0>& condition, const WhereNumber& f) {
                 return f.kept ? where(condition, grad, 0) : where(condition, 0, grad);
               }));

/// Bytes are taken as LibTorch takes them: with a warning.
Tensor truths_of(const Operation& op, const Tensor& condition) {
  if (!condition.defined() || condition.dtype() == kBool) return condition;
  if (condition.dtype() != kUInt8)
    op.fail<DtypeError>("expected condition to be a boolean tensor, but got a tensor with dtype {}",
                        name_of(condition.dtype()));
  warn_once("where with a condition of bytes",
            "where received a uint8 condition tensor. This behavior is deprecated and will be "
            "removed in a future version of PyTorch. Use a boolean condition instead.",
            op.at);
  return raw_convert(condition, kBool);
}

Tensor where_number(const Operation& op, const Tensor& chosen, const Tensor& x, Scalar other,
                    bool kept) {
  const Tensor condition = truths_of(op, chosen);
  check_operands(op, {&condition, &x});
  check_fits(op, other, result_type(x, other));
  const WhereNumber f{number(other), kept};
  return record(
      kWhereNumber, op,
      compute(op, where_number_kernel, f, condition, raw_convert(x, result_type(x, other))), f,
      condition, x);
}

OpCase draw_where(Draw& draw) {
  const auto full = draw.shape(0, 4);
  const int64_t form = draw.integer(0, 2);
  const double value = form == 0 ? 0 : draw.real(-3, 3);
  OpCase one;
  one.arguments = {Argument::boolean(draw.broadcast_of(full)), {.sizes = draw.broadcast_of(full)}};
  if (form == 0) {
    one.arguments.push_back({.sizes = draw.broadcast_of(full)});
    one.call = [](const variable_list& x) { return where(x[0], x[1], x[2]); };
    one.reference = elementwise_reference([]<typename T>(T c, T a, T b) { return c != 0 ? a : b; });
    return one;
  }
  one.label = format_message("{}={}", {form == 1 ? "other" : "self", value});
  one.call = [=](const variable_list& x) {
    return form == 1 ? where(x[0], x[1], value) : where(x[0], value, x[1]);
  };
  one.reference = elementwise_reference(
      [=]<typename T>(T c, T a) { return (c != 0) == (form == 1) ? a : T(value); });
  return one;
}

const RegisterOp where_row({.name = "where", .family = "elementwise", .draw = draw_where});

}  // namespace

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other, At at) {
  const Operation op("where", at);
  return ternary(where_kernel, kWhere, op, truths_of(op, condition), self, other);
}
Tensor where(const Tensor& condition, const Tensor& self, Scalar other, At at) {
  return where_number({"where", at}, condition, self, other, true);
}
Tensor where(const Tensor& condition, Scalar self, const Tensor& other, At at) {
  return where_number({"where", at}, condition, other, self, false);
}
Tensor where(const Tensor& chosen, Scalar self, Scalar other, At at) {
  const Operation op("where", at);
  const Tensor condition = truths_of(op, chosen);
  check_operands(op, {&condition});
  const TensorOptions there = TensorOptions().device(condition.device());
  return where(condition, full({}, self, there), full({}, other, there), at);
}

Tensor ElementwiseMembers::where(const Tensor& condition, const Tensor& other, At at) const {
  return notape::where(condition, self(), other, at);
}
Tensor ElementwiseMembers::where(const Tensor& condition, Scalar other, At at) const {
  return notape::where(condition, self(), other, at);
}
#endif

}  // namespace notape
