// addcmul(x, a, b) = x + (value a) b, the last product and the sum rounded once,  d/da = value b,
// d/db = value a;  addcdiv(x, a, b) = x + value a / b,  d/da = value / b,  d/db = -value a / b^2;
// of both d/dx = 1
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/elementwise/div_slope.h"
#include "ops/spec/without_tails.h"
#endif

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
struct Addcdiv {
  Number value = {1, 1};
  template <typename T>
  NOTAPE_HD T operator()(T x, T a, T b) const {
    return x + value.as<T>() * (a / b);
  }
};
const ElementwiseKernel<Addcmul, 3> addcmul_kernel("addcmul");
const ElementwiseKernel<Addcdiv, 3> addcdiv_kernel("addcdiv");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kOfSelf = elementwise([](const Tensor& grad) { return grad; });

Tensor slope_of(const Tensor& factor, const Addcmul& f) {
  return f.value.real == 1 ? factor : factor * f.value.real;
}

constexpr auto kAddcmulDerivative =
    derivative("AddcmulBackward0", kOfSelf,
               elementwise([](const Tensor& grad, const Input<2>& tensor2, const Addcmul& f) {
                 return grad * slope_of(tensor2, f);
               }),
               elementwise([](const Tensor& grad, const Input<1>& tensor1, const Addcmul& f) {
                 return grad * slope_of(tensor1, f);
               }))
        .with_arguments<"self", "tensor1", "tensor2">();

constexpr auto kAddcdivDerivative =
    derivative("AddcdivBackward0", kOfSelf,
               elementwise([](const Tensor& grad, const Input<2>& tensor2, const Addcdiv& f) {
                 return grad * f.value.real / tensor2;
               }),
               elementwise([](const Tensor& grad, const Input<1>& tensor1, const Input<2>& tensor2,
                              const Addcdiv& f) {
                 if (f.value.real == 0) return grad * 0;  // also where the slope overflows
                 return grad * -f.value.real * div_slope(tensor1, tensor2);
               }))
        .with_arguments<"self", "tensor1", "tensor2">();

template <typename F>
F checked_scale(const Operation& op, const Tensor& self, const Tensor& tensor1,
                const Tensor& tensor2, Scalar value) {
  check_operands(op, {&self, &tensor1, &tensor2});
  if (std::same_as<F, Addcdiv> && !tensor1.is_floating_point() && !tensor2.is_floating_point())
    op.fail<DtypeError>(
        "Integer division with addcdiv is not supported: tensor1 is {} and tensor2 is {}",
        name_of(tensor1.dtype()), name_of(tensor2.dtype()));
  ResultType type;
  for (const Tensor* operand : {&self, &tensor1, &tensor2}) type.add(*operand);
  check_factor_fits(op, value, type.get());
  return {number(value)};
}

template <typename F, auto call, auto call_in_place>
OpCase draw_addc(Draw& draw) {
  const auto full = draw.shape(0, 4);
  const bool in_place = draw.boolean();
  const double value = draw.real(-2, 2);
  OpCase one;
  one.label = format_message("value={}", {value});
  one.arguments = {{.sizes = in_place ? full : draw.broadcast_of(full)},
                   {.sizes = draw.broadcast_of(full)},
                   {.sizes = draw.broadcast_of(full)}};
  if (std::same_as<F, Addcdiv>) one.arguments[2].domain = {.low = 0.3, .high = 4};
  one.call = [=](const variable_list& x) { return call(x[0], x[1], x[2], value, At::current()); };
  if (in_place)
    one.call_in_place = [=](variable_list& x) {
      call_in_place(x[0], x[1], x[2], value, At::current());
    };
  one.reference = elementwise_reference(F{number(value)});
  return one;
}

const RegisterOp addcmul_row({.name = "addcmul",
                              .family = "elementwise",
                              .draw = draw_addc<Addcmul, addcmul, addcmul_>});
const RegisterOp addcdiv_row({.name = "addcdiv",
                              .family = "elementwise",
                              .draw = draw_addc<Addcdiv, addcdiv, addcdiv_>});
const RegisterWithoutTails tails(
    {.row = "addcdiv",
     .reason = "has factors that leave the range of numbers where their product does not"});

}  // namespace

Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value,
               At at) {
  const Operation op("addcmul", at);
  const auto f = checked_scale<Addcmul>(op, self, tensor1, tensor2, value);
  return ternary(addcmul_kernel, kAddcmulDerivative, op, self, tensor1, tensor2, f, f);
}
Tensor& addcmul_(Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, At at) {
  const Operation op("addcmul_", at);
  const auto f = checked_scale<Addcmul>(op, self, tensor1, tensor2, value);
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

Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value,
               At at) {
  const Operation op("addcdiv", at);
  const auto f = checked_scale<Addcdiv>(op, self, tensor1, tensor2, value);
  return ternary(addcdiv_kernel, kAddcdivDerivative, op, self, tensor1, tensor2, f, f);
}
Tensor& addcdiv_(Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, At at) {
  const Operation op("addcdiv_", at);
  const auto f = checked_scale<Addcdiv>(op, self, tensor1, tensor2, value);
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
