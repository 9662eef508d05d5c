// The natural logarithm of floats without a call.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "ops/core/multiply_add.h"

namespace notape {

/// log(x) of a positive normal number within 1 ulp, 1.3 without fused instructions. Of x = 2^n (1 +
/// f), 1 + f between 2/3 and 4/3, n log(2) + f + f^2 times a minimax polynomial of f. Without
/// branches, so that loops over it are compiled to vector instructions. `lift`: of 2^lift x.
NOTAPE_HD inline float log_of_normal(float x, int32_t lift = 0) {
  using detail::multiply_add;
  constexpr uint32_t kLeast = 0x3f2aaaab;  // of 2/3
  // 2^23 n, which a float is from -2^30 to 2^30.
  const uint32_t exponent = (std::bit_cast<uint32_t>(x) - kLeast) & 0xff800000;
  const float f = std::bit_cast<float>(std::bit_cast<uint32_t>(x) - exponent) - 1.0f;
  const auto power =
      static_cast<float>(static_cast<int32_t>(exponent - (static_cast<uint32_t>(lift) << 23)));
  float series = multiply_add(-0x1.07c510p-3f, f, 0x1.1e6d18p-3f);
  series = multiply_add(series, f, -0x1.f33276p-4f);
  series = multiply_add(series, f, 0x1.1ed55ap-3f);
  series = multiply_add(series, f, -0x1.559c68p-3f);
  series = multiply_add(series, f, 0x1.99d050p-3f);
  series = multiply_add(series, f, -0x1.fffefap-3f);
  series = multiply_add(series, f, 0x1.555506p-2f);
  series = multiply_add(series, f, -0.5f);
  return multiply_add(power, 0x1.62e430p-24f, multiply_add(series, f * f, f));  // log(2) / 2^23
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
