// What both halves of Grown count with.
#pragma once
#include "verify/numeric/direction.h"

namespace notape::verify {

/// Of the random numbers of longer inputs.
inline constexpr uint32_t kGrownStream = (1 << 30) + 1;
/// Times what rounding modes do to a gradient: what its roundings may make of it in another loop.
inline constexpr double kRoundingsApart = 4;

inline double number(const Tensor& tensor) { return numbers_of(tensor).at(0); }

}  // namespace notape::verify
