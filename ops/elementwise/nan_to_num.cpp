// nan_to_num(x): NaN and infinities replaced by numbers,  d/dx = 1, and 0 where replaced
#include <cmath>

#include "ops/elementwise/operator.h"

namespace notape {
namespace {

struct NanToNum {
  static constexpr TypeSet types = kAllTypes;
  Number nan, above, below;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      if (x != x) return nan.as<T>();
      return x - x == T(0) ? x : x > T(0) ? above.as<T>() : below.as<T>();
    }
  }
};
const ElementwiseKernel<NanToNum> nan_to_num_kernel("nan_to_num");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kNanToNumDerivative =
    derivative("NanToNumBackward0", selection([](const Tensor& grad, const Input<0>& self) {
                 return where(isfinite(self), grad, 0);
               }));

/// The largest number of a floating type.
double largest_of(ScalarType type) {
  const ElementType& element = element_type(type);
  return std::ldexp(2 - std::ldexp(1.0, 1 - element.digits), element.highest_exponent);
}

NanToNum checked_nan_to_num(const Operation& op, const Tensor& self, std::optional<double> nan,
                            std::optional<double> posinf, std::optional<double> neginf) {
  check_operand(op, self);
  const double largest = largest_of(self.dtype());
  return {number(nan.value_or(0)), number(posinf.value_or(largest)),
          number(neginf.value_or(-largest))};
}

OpCase draw_nan_to_num(Draw& draw) {
  OpCase one;
  one.arguments = {{.sizes = draw.shape(0, 4)}};
  one.call = [](const variable_list& x) { return nan_to_num(x[0], 1, 2, 3); };
  one.call_in_place = [](variable_list& x) { nan_to_num_(x[0], 1, 2, 3); };
  one.reference = elementwise_reference([]<typename T>(T x) {
    if (x != x) return T(1);
    return x == T(HUGE_VAL) ? T(2) : x == T(-HUGE_VAL) ? T(3) : x;
  });
  return one;
}

const RegisterOp nan_to_num_row({.name = "nan_to_num",
                                 .family = "elementwise",
                                 .draw = draw_nan_to_num});

}  // namespace

Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf, At at) {
  const Operation op("nan_to_num", at);
  return unary(nan_to_num_kernel, kNanToNumDerivative, op, self,
               checked_nan_to_num(op, self, nan, posinf, neginf));
}
Tensor& nan_to_num_(Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                    std::optional<double> neginf, At at) {
  const Operation op("nan_to_num_", at);
  return unary_(nan_to_num_kernel, kNanToNumDerivative, op, self,
                checked_nan_to_num(op, self, nan, posinf, neginf));
}

Tensor ElementwiseMembers::nan_to_num(std::optional<double> nan, std::optional<double> posinf,
                                      std::optional<double> neginf, At at) const {
  return notape::nan_to_num(self(), nan, posinf, neginf, at);
}
Tensor& ElementwiseMembers::nan_to_num_(std::optional<double> nan, std::optional<double> posinf,
                                        std::optional<double> neginf, At at) const {
  return notape::nan_to_num_(self(), nan, posinf, neginf, at);
}
#endif

}  // namespace notape
