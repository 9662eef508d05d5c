// The natural logarithm of floats without a call.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "ops/core/multiply_add.h"

namespace notape {

/// log(x) within 1 ulp, 1.3 without fused instructions: -inf for 0, not a number below. Of x = 2^n
/// (1 + f), 1 + f between sqrt(1/2) and sqrt(2), n log(2) + f - f^2 / 2 + f^3 times a polynomial of
/// f. Without branches, so that loops over it are compiled to vector instructions.
NOTAPE_HD inline float natural_log(float x) {
  using detail::multiply_add;
  constexpr float kLogTwoHigh = 0x1.63p-1f, kLogTwoLow = -0x1.bd0106p-13f;  // 8 bits, the rest
  constexpr uint32_t kRoot = 0x3f3504f3;                                    // of sqrt(1/2)
  const bool is_tiny = x < std::numeric_limits<float>::min();
  const auto bits = std::bit_cast<uint32_t>(is_tiny ? x * 0x1p23f : x);
  // Of numbers below 0 this is nothing, but has to be something.
  const int32_t n = static_cast<int32_t>(bits - kRoot) >> 23;
  const float f = std::bit_cast<float>(bits - (static_cast<uint32_t>(n) << 23)) - 1.0f;
  const float power = static_cast<float>(is_tiny ? n - 23 : n);
  float series = multiply_add(7.0376836292e-2f, f, -1.1514610310e-1f);
  series = multiply_add(series, f, 1.1676998740e-1f);
  series = multiply_add(series, f, -1.2420140846e-1f);
  series = multiply_add(series, f, 1.4249322787e-1f);
  series = multiply_add(series, f, -1.6668057665e-1f);
  series = multiply_add(series, f, 2.0000714765e-1f);
  series = multiply_add(series, f, -2.4999993993e-1f);
  series = multiply_add(series, f, 3.3333331174e-1f);
  series = multiply_add(series, f, -0.5f);
  const float rest = multiply_add(series, f * f, power * kLogTwoLow);
  const float of_normal = multiply_add(power, kLogTwoHigh, f + rest);
  const float of_positive = x > std::numeric_limits<float>::max() ? x : of_normal;
  const float of_others =
      x == 0.0f ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  return x > 0.0f ? of_positive : of_others;
}

}  // namespace notape
