// Acceptance: how far a derivative may be from the numeric one. Nothing here is typed by hand for
// an operator: a radius comes from the numeric leg's own error, from measured rounding noise, and
// from the dtype.   radius = 10 e + 8 m + c eps S
#pragma once
#include "autograd/tensor/scalar_type.h"

namespace notape::verify {

inline constexpr double kLadderFactor = 10;  ///< times the ladder's error estimate e
inline constexpr double kNoiseFactor = 8;    ///< times a standard deviation m of rounding noise

constexpr double epsilon_of(ScalarType dtype) { return dtype == kFloat32 ? 0x1p-23 : 0x1p-52; }
/// c: roundings of a kernel of its own against a wide reference, in units of the sum of terms S.
constexpr double rounding_factor(ScalarType dtype) { return dtype == kFloat32 ? 8 : 64; }
/// What underflow may cost.
constexpr double smallest_of(ScalarType dtype) { return dtype == kFloat32 ? 0x1p-120 : 0x1p-1000; }
/// A comparison that would let a larger relative error pass says too little to count.
constexpr double power_gate(ScalarType dtype) { return dtype == kFloat32 ? 1e-4 : 1e-11; }
/// The same where only float64 values could be differenced. What roundings inside the function cost
/// is measured and stated; an error of one part in a thousand must be seen.
inline constexpr double kOpaquePowerGate = 1e-3;
/// A weaker answer than this is not taken from a short ladder.
inline constexpr double kQuickPowerGate = 1e-8;

}  // namespace notape::verify
