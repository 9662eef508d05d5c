// div(a, b) = a / b,  d/da = 1 / b,  d/db = -a / b^2
#include <limits>

#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/elementwise/div_slope.h"
#endif

namespace notape {
namespace {

struct Div {
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return a / b;
  }
};
struct DivNumber {
  Number number;
  bool factors_are_finite() const { return !std::isnan(number.single) && number.single != 0; }
  template <typename T>
  NOTAPE_HD T operator()(T a) const {
    return a / number.as<T>();
  }
};
/// a / b^2, by two divisions: b^2 may be out of range. Where a / b may have lost digits to
/// underflow that the second division would need, a is raised first.
struct DivSlope {
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const T unit = std::numeric_limits<T>::epsilon();
    const T few = std::numeric_limits<T>::min() / (unit * unit);
    const bool is_small = math::abs(a) < few;
    const bool shrinks = math::abs(b) > unit;
    const bool lost = is_small & shrinks;
    const T raise = lost ? T(1) / (unit * unit) : T(1), lower = lost ? unit * unit : T(1);
    return a * raise / b / b * lower;
  }
};
const ElementwiseKernel<Div, 2> div_kernel("div");
const ElementwiseKernel<DivSlope, 2> div_slope_kernel("div.slope");
const ElementwiseKernel<DivNumber> div_number_kernel("div.number");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kDivSlope = derivative(
    "DivBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<1>& other) { return div_slope(grad, other); }),
    elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
      return grad * (div_slope(self, other) / other) * -2;
    }));
constexpr auto kDiv =
    derivative("DivBackward0",
               elementwise([](const Tensor& grad, const Input<1>& other) { return grad / other; }),
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return -grad * div_slope(self, other);
               }));
constexpr auto kDivNumber = derivative(
    "DivBackward1",
    elementwise([](const Tensor& grad, const DivNumber& f) { return grad / f.number.real; }));

const RegisterOp div_row(binary_spec<Div>("div", div, div_,
                                          {.other = {.low = 0.3, .high = 4},
                                           .far = Domain{.low = -kFarHigh, .high = kFarHigh},
                                           .far_other = Domain{.low = 0x1p-24, .high = kFarHigh},
                                           .number = div,
                                           .number_in_place = div_}));

}  // namespace

Tensor div_slope(const Tensor& a, const Tensor& b) {
  return binary(div_slope_kernel, kDivSlope, {"div_backward", At::current()}, a, b);
}

Tensor div(const Tensor& self, const Tensor& other, At at) {
  return binary(div_kernel, kDiv, {"div", at}, self, other);
}
Tensor div(const Tensor& self, Scalar other, At at) {
  return unary_number(div_number_kernel, kDivNumber, {"div", at}, self, other, {number(other)});
}
Tensor& div_(Tensor& self, const Tensor& other, At at) {
  return binary_(div_kernel, kDiv, {"div_", at}, self, other);
}
Tensor& div_(Tensor& self, Scalar other, At at) {
  return unary_number_(div_number_kernel, kDivNumber, {"div_", at}, self, other, {number(other)});
}

Tensor operator/(Operand self, Operand other) { return div(self.tensor, other.tensor, self.at); }
Tensor operator/(Operand self, Scalar other) { return div(self.tensor, other, self.at); }
Tensor operator/(Scalar self, Operand other) {
  return mul(reciprocal(other.tensor, other.at), self, other.at);
}

Tensor ElementwiseMembers::div(const Tensor& other, At at) const {
  return notape::div(self(), other, at);
}
Tensor ElementwiseMembers::div(Scalar other, At at) const { return notape::div(self(), other, at); }
Tensor& ElementwiseMembers::div_(const Tensor& other, At at) const {
  return notape::div_(self(), other, at);
}
Tensor& ElementwiseMembers::div_(Scalar other, At at) const {
  return notape::div_(self(), other, at);
}
#endif

}  // namespace notape
