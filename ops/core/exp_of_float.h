// e^x of floats without a call.
#pragma once
#include "ops/core/exp_below_zero.h"

namespace notape {

/// e^x within 0.9 ulp, or 1.2 without fused instructions, as exp_below_zero is: infinite from 88.73
/// on. Without branches, so that loops over it are compiled to vector instructions.
NOTAPE_HD inline float exp_of_float(float x) {
  using detail::multiply_add;
  constexpr float kLogTwoHigh = 0x1.62e4p-1f, kLogTwoLow = 0x1.7f7d1cp-20f;
  const float low = x < -104.0f ? -104.0f : x, bounded = low > 89.0f ? 89.0f : low;
  // 2^n may be too small for a normal number, or too large, but not 2^(n + 64) and 2^(n - 64).
  const bool is_negative = x < 0.0f;
  const float rounder = is_negative ? 0x1.8p23f + 127 + 64 : 0x1.8p23f + 127 - 64;
  const float shifted = multiply_add(bounded, 0x1.715476p0f, rounder), whole = shifted - rounder;
  const float r = multiply_add(whole, -kLogTwoLow, multiply_add(whole, -kLogTwoHigh, bounded));
  const float scale = std::bit_cast<float>(std::bit_cast<uint32_t>(shifted) << 23);
  return detail::exp_near_zero(r) * scale * (is_negative ? 0x1p-64f : 0x1p64f);
}

}  // namespace notape
