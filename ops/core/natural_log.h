// The natural logarithm of floats without a call.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "ops/core/multiply_add.h"

namespace notape {

/// log(x) of a positive normal number within 1 ulp, 1.3 without fused instructions. Of x = 2^n (1 +
/// f), 1 + f between sqrt(1/2) and sqrt(2), n log(2) + f - f^2 / 2 + f^3 times a polynomial of f.
/// Without branches, so that loops over it are compiled to vector instructions. `lift`: of 2^lift
/// x.
NOTAPE_HD inline float log_of_normal(float x, int32_t lift = 0) {
  using detail::multiply_add;
  constexpr float kLogTwoHigh = 0x1.63p-1f, kLogTwoLow = -0x1.bd0106p-13f;  // 8 bits, the rest
  constexpr uint32_t kRoot = 0x3f3504f3;                                    // of sqrt(1/2)
  const uint32_t above = std::bit_cast<uint32_t>(x) - kRoot;
  const float power = static_cast<float>((static_cast<int32_t>(above) >> 23) - lift);
  const float f = std::bit_cast<float>((above & 0x7fffff) + kRoot) - 1.0f;
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
  return multiply_add(power, kLogTwoHigh, f + rest);
}

/// log(x) of any number: -inf for 0, not a number below.
NOTAPE_HD inline float natural_log(float x) {
  const bool is_tiny = x < std::numeric_limits<float>::min();
  const float of_normal = log_of_normal(is_tiny ? x * 0x1p23f : x, is_tiny ? 23 : 0);
  const float of_positive = x > std::numeric_limits<float>::max() ? x : of_normal;
  const float of_others =
      x == 0.0f ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  return x > 0.0f ? of_positive : of_others;
}

}  // namespace notape
