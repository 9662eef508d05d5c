// e^x of floats without a call.
#pragma once
#include "ops/core/exp_below_zero.h"

namespace notape {

/// e^x within 0.9 ulp, or 1.2 without fused instructions, as exp_below_zero is: infinite from 88.73
/// on. Without branches, so that loops over it are compiled to vector instructions.
NOTAPE_HD inline float exp_of_float(float x) {
  using detail::multiply_add;
  constexpr float kLogTwoHigh = 0x1.62e4p-1f, kLogTwoLow = 0x1.7f7d1cp-20f;
  // Adding it rounds to a whole number n. 2^n alone may be too small for a normal number, or too
  // large: halves of n become the exponents of two factors.
  constexpr float kRounder = 0x1.8p23f + 2 * 127;
  const float low = x < -104.0f ? -104.0f : x, bounded = low > 89.0f ? 89.0f : low;
  const float shifted = multiply_add(bounded, 0x1.715476p0f, kRounder), whole = shifted - kRounder;
  const float r = multiply_add(whole, -kLogTwoLow, multiply_add(whole, -kLogTwoHigh, bounded));
  const auto exponents = std::bit_cast<uint32_t>(shifted);
  const uint32_t first = exponents >> 1, second = exponents - first;
  return detail::exp_near_zero(r) * std::bit_cast<float>(first << 23) *
         std::bit_cast<float>(second << 23);
}

/// The same bits in fewer instructions for |x| <= kUsualExponent, whose e^x is a normal number.
inline constexpr float kUsualExponent = 87.0f;
NOTAPE_HD inline float exp_of_usual(float x) {
  using detail::multiply_add;
  constexpr float kLogTwoHigh = 0x1.62e4p-1f, kLogTwoLow = 0x1.7f7d1cp-20f;
  constexpr float kRounder = 0x1.8p23f + 127;
  const float shifted = multiply_add(x, 0x1.715476p0f, kRounder), whole = shifted - kRounder;
  const float r = multiply_add(whole, -kLogTwoLow, multiply_add(whole, -kLogTwoHigh, x));
  return detail::exp_near_zero(r) * std::bit_cast<float>(std::bit_cast<uint32_t>(shifted) << 23);
}

}  // namespace notape
