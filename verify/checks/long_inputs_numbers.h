// What both halves of LongInputs count with.
#pragma once
#include "verify/numeric/direction.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {

/// Of the random numbers of longer inputs.
inline constexpr uint32_t kLongStream = (1 << 30) + 1;

inline double number(const Tensor& tensor) { return numbers_of(tensor).at(0); }

}  // namespace notape::verify
