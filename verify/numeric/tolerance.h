// Acceptance: how far a derivative may be from the numeric one. Nothing here is typed by hand for
// an operator: a radius comes from the numeric leg's own error, from measured rounding noise, and
// from the dtype.   radius = 10 e + 8 m + c eps S
#pragma once
#include "autograd/tensor/scalar_type.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {

/// The floating type of this name, float64 if there is none.
constexpr ScalarType dtype_named(std::string_view name) {
  const int type = floating_type_named(name);
  return type < kScalarTypes ? static_cast<ScalarType>(type) : kFloat64;
}

constexpr double epsilon_of(ScalarType dtype) {
  return 1.0 / static_cast<double>(int64_t{1} << (element_type(dtype).digits - 1));
}
/// c: roundings of a kernel of its own against a wide reference, in units of the sum of terms S.
/// In 16 bits not sums inside a kernel are what rounds, but each operator of a rule.
constexpr double rounding_factor(ScalarType dtype) {
  return dtype == kFloat64 ? 64 : dtype == kFloat32 ? 8 : 16;
}
/// What underflow may cost.
constexpr double smallest_of(ScalarType dtype) {
  switch (dtype) {
    case kFloat16:  // as many of its smallest numbers as there may be roundings
      return rounding_factor(dtype) * 0x1p-24;
    case kFloat64:
      return 0x1p-1000;
    default:
      return 0x1p-120;
  }
}
/// A comparison that would let a larger relative error pass says too little to count.
constexpr double power_gate(ScalarType dtype) {
  switch (dtype) {
    case kFloat64:
      return 1e-11;
    case kFloat32:
      return 1e-4;
    default:  // 1/16 of float16, 1/2 of bfloat16: a sign or a factor of 2 shows
      return 64 * epsilon_of(dtype);
  }
}

}  // namespace notape::verify
