// div(a, b, rounding_mode): a / b rounded down ("floor") or toward 0 ("trunc");  d/da = d/db = 0
#include "ops/elementwise/divisors.h"
#include "ops/elementwise/remainder.h"

namespace notape {
namespace {

struct TruncDivide {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return of(a, b);
    else
      return math::trunc(a / b);
  }
  /// Of integers. The smallest one divided by -1 wraps around to itself.
  template <typename T>
  static NOTAPE_HD T of(T a, T b) {
    if (b == T(0)) return T(0);  // off the CPU, where nobody looked
    if (b == static_cast<T>(-1) && std::is_signed_v<T>)
      return static_cast<T>(-static_cast<Wrapping<T>>(a));
    return static_cast<T>(a / b);
  }
};
/// Of floating numbers from what is left, so that a quotient that rounds up to a whole number is
/// not taken for it.
struct FloorDivide {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(TruncDivide::of(a, b) - T(is_on_the_other_side(Fmod()(a, b), b)));
    } else {
      if (b == T(0)) return a / b;
      const T whole = RemainderMultiple()(a, b);
      return whole == T(0) ? T(0) * (a / b) : whole;  // with the quotient's sign
    }
  }
};
const ElementwiseKernel<FloorDivide, 2> floor_divide_kernel("floor_divide");
const ElementwiseKernel<TruncDivide, 2> trunc_divide_kernel("div.trunc");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kZero =
    derivative("DivBackward2", elementwise([](const Tensor& grad) { return zeros_like(grad); }),
               elementwise([](const Tensor& grad) { return zeros_like(grad); }));

enum class Rounding { None, Floor, Trunc };
Rounding rounding_of(const Operation& op, std::optional<std::string_view> mode) {
  if (!mode) return Rounding::None;
  if (*mode == "floor") return Rounding::Floor;
  if (*mode == "trunc") return Rounding::Trunc;
  op.fail<ValueError>(
      "expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'", *mode);
}

Tensor rounded(const Operation& op, const Tensor& self, const Tensor& other, Rounding rounding) {
  return rounding == Rounding::Floor ? binary(floor_divide_kernel, kZero, op, self, other)
                                     : binary(trunc_divide_kernel, kZero, op, self, other);
}

Tensor& rounded_(const Operation& op, Tensor& self, const Tensor& other, Rounding rounding) {
  return rounding == Rounding::Floor ? binary_(floor_divide_kernel, kZero, op, self, other)
                                     : binary_(trunc_divide_kernel, kZero, op, self, other);
}

const RegisterOp floor_divide_row(binary_spec<FloorDivide>("floor_divide", floor_divide,
                                                           floor_divide_,
                                                           {.domain = {.low = 0.3, .high = 0.7},
                                                            .other = {.low = 0.75, .high = 3},
                                                            .number = floor_divide}));

}  // namespace

Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode,
           At at) {
  const Operation op("div", at);
  const Rounding rounding = rounding_of(op, rounding_mode);
  if (rounding == Rounding::None) return div(self, other, at);
  check_divisors(op, self, other);
  return rounded(op, self, other, rounding);
}
Tensor div(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode, At at) {
  const Operation op("div", at);
  const Rounding rounding = rounding_of(op, rounding_mode);
  if (rounding == Rounding::None) return div(self, other, at);
  return rounded(op, self, as_divisor(op, self, other), rounding);
}
Tensor floor_divide(const Tensor& self, const Tensor& other, At at) {
  const Operation op("floor_divide", at);
  check_divisors(op, self, other);
  return rounded(op, self, other, Rounding::Floor);
}
Tensor floor_divide(const Tensor& self, Scalar other, At at) {
  const Operation op("floor_divide", at);
  return rounded(op, self, as_divisor(op, self, other), Rounding::Floor);
}
Tensor& div_(Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode,
             At at) {
  const Operation op("div_", at);
  const Rounding rounding = rounding_of(op, rounding_mode);
  if (rounding == Rounding::None) return div_(self, other, at);
  check_divisors(op, self, other);
  return rounded_(op, self, other, rounding);
}
Tensor& div_(Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode, At at) {
  const Operation op("div_", at);
  const Rounding rounding = rounding_of(op, rounding_mode);
  if (rounding == Rounding::None) return div_(self, other, at);
  return rounded_(op, self, as_divisor(op, self, other), rounding);
}
Tensor& floor_divide_(Tensor& self, const Tensor& other, At at) {
  const Operation op("floor_divide_", at);
  check_divisors(op, self, other);
  return rounded_(op, self, other, Rounding::Floor);
}
Tensor& floor_divide_(Tensor& self, Scalar other, At at) {
  const Operation op("floor_divide_", at);
  return rounded_(op, self, as_divisor(op, self, other), Rounding::Floor);
}

Tensor ElementwiseMembers::div(const Tensor& other, std::optional<std::string_view> rounding_mode,
                               At at) const {
  return notape::div(self(), other, rounding_mode, at);
}
Tensor ElementwiseMembers::div(Scalar other, std::optional<std::string_view> rounding_mode,
                               At at) const {
  return notape::div(self(), other, rounding_mode, at);
}
Tensor ElementwiseMembers::floor_divide(const Tensor& other, At at) const {
  return notape::floor_divide(self(), other, at);
}
Tensor ElementwiseMembers::floor_divide(Scalar other, At at) const {
  return notape::floor_divide(self(), other, at);
}
Tensor& ElementwiseMembers::div_(const Tensor& other, std::optional<std::string_view> rounding_mode,
                                 At at) const {
  return notape::div_(self(), other, rounding_mode, at);
}
Tensor& ElementwiseMembers::div_(Scalar other, std::optional<std::string_view> rounding_mode,
                                 At at) const {
  return notape::div_(self(), other, rounding_mode, at);
}
Tensor& ElementwiseMembers::floor_divide_(const Tensor& other, At at) const {
  return notape::floor_divide_(self(), other, at);
}
Tensor& ElementwiseMembers::floor_divide_(Scalar other, At at) const {
  return notape::floor_divide_(self(), other, at);
}
#endif

}  // namespace notape
