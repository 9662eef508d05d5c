// The sigmoid of a float, without a call that would keep loops from becoming vector instructions.
#pragma once
#include <cmath>

#include "ops/core/exp_below_zero.h"

namespace notape {

inline float sigmoid_of(float x) {
  const float small = exp_below_zero(std::copysign(x, -1.0f)), lower = small / (1.0f + small);
  return x < 0.0f ? lower : 1.0f - lower;
}

}  // namespace notape
