// round(x) = the nearest whole number, of two the even one,  d/dx = 0 everywhere
#include "ops/elementwise/step.h"

namespace notape {
namespace {

struct Round {
  template <typename T>
  static NOTAPE_HD T of(T x) {
    return math::rint(x);
  }
};
/// In units of a power of ten, which is exact where it can be, so that 1.25 is between 1.2 and 1.3.
struct RoundToDecimals {
  Number scale;
  bool multiplies;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T unit = scale.as<T>();
    return multiplies ? math::rint(x * unit) / unit : math::rint(x / unit) * unit;
  }
};
const ElementwiseKernel<Step<Round>> round_kernel("round");
const ElementwiseKernel<RoundToDecimals> decimals_kernel("round.decimals");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kRoundDerivative = step_derivative("RoundBackward0");

void check_real(const Operation& op, const Tensor& self) {
  check_operand(op, self);
  if (!self.is_floating_point())
    op.fail<DtypeError>("with decimals expects floating numbers, got {}", name_of(self.dtype()));
}

RoundToDecimals to_decimals(int64_t decimals) {
  return {number(std::pow(10.0, std::abs(static_cast<double>(decimals)))), decimals > 0};
}

const RegisterOp round_row(unary_spec<Step<Round>>("round", round, round_, steps(0.5)));

}  // namespace

Tensor round(const Tensor& self, At at) {
  return unary(round_kernel, kRoundDerivative, {"round", at}, self);
}
Tensor& round_(Tensor& self, At at) {
  return unary_(round_kernel, kRoundDerivative, {"round_", at}, self);
}
Tensor round(const Tensor& self, Integer decimals, At at) {
  const Operation op("round", at);
  check_real(op, self);
  return unary(decimals_kernel, kRoundDerivative, op, self, to_decimals(decimals));
}
Tensor& round_(Tensor& self, Integer decimals, At at) {
  const Operation op("round_", at);
  check_real(op, self);
  return unary_(decimals_kernel, kRoundDerivative, op, self, to_decimals(decimals));
}

Tensor ElementwiseMembers::round(At at) const { return notape::round(self(), at); }
Tensor& ElementwiseMembers::round_(At at) const { return notape::round_(self(), at); }
Tensor ElementwiseMembers::round(Integer decimals, At at) const {
  return notape::round(self(), decimals, at);
}
Tensor& ElementwiseMembers::round_(Integer decimals, At at) const {
  return notape::round_(self(), decimals, at);
}
#endif

}  // namespace notape
