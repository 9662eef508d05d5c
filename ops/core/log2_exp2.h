// Logarithms and powers of floats, computed in double without calls or branches, so that loops over
// them are compiled to vector instructions. What is rounded to float is right but for one in some
// thousands, which is off by one unit in the last place.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ops/core/multiply_add.h"

namespace notape {

/// log2 of a positive normal number, to 3e-14 of its size: the exponent and, of m between
/// sqrt(1/2) and sqrt(2), log(m) = 2 artanh s, s = (m - 1) / (m + 1).
NOTAPE_HD inline double log2_in_double(double x) {
  using detail::multiply_add;
  constexpr auto kRoot = std::bit_cast<uint64_t>(0.70710678118654752440);
  const auto bits = std::bit_cast<uint64_t>(x);
  const uint64_t exponent_and_1024 = (bits - kRoot + (uint64_t{1024} << 52)) >> 52;
  const double m = std::bit_cast<double>(bits - ((exponent_and_1024 - 1024) << 52));
  // A whole number below 2^52 is the lower part of the bits of 2^52 plus it.
  const double exponent =
      std::bit_cast<double>(exponent_and_1024 + std::bit_cast<uint64_t>(0x1p52)) - (0x1p52 + 1024);
  const double s = (m - 1) / (m + 1), z = s * s;
  double series = multiply_add(z, 1.0 / 15, 1.0 / 13);
  series = multiply_add(series, z, 1.0 / 11);
  series = multiply_add(series, z, 1.0 / 9);
  series = multiply_add(series, z, 1.0 / 7);
  series = multiply_add(series, z, 1.0 / 5);
  series = multiply_add(series, z, 1.0 / 3) * z;
  // 2 / log(2)
  return multiply_add(multiply_add(s, series, s), 2.8853900817779268147, exponent);
}

/// `log_of_two` log2(x) for any x: -inf for 0, not a number below.
NOTAPE_HD inline float log_of_float(float x, double log_of_two) {
  const auto of_normal = static_cast<float>(log2_in_double(x) * log_of_two);
  const float of_positive = x > std::numeric_limits<float>::max() ? x : of_normal;
  const float of_others =
      x == 0.0f ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  return x > 0.0f ? of_positive : of_others;
}

/// 2^t within 2e-10 of itself, t taken for no more than 1000 either way: the powers of log(2) over
/// factorials.
NOTAPE_HD inline double exp2_in_double(double t) {
  using detail::multiply_add;
  const double low = t < -1000 ? -1000 : t, bounded = low > 1000 ? 1000 : low;
  const double shifted = bounded + 0x1.8p52, whole = shifted - 0x1.8p52, r = bounded - whole;
  double series = multiply_add(1.3215486790144309e-6, r, 1.5252733804059841e-5);
  series = multiply_add(series, r, 1.5403530393381610e-4);
  series = multiply_add(series, r, 1.3333558146428443e-3);
  series = multiply_add(series, r, 9.6181291076284772e-3);
  series = multiply_add(series, r, 5.5504108664821580e-2);
  series = multiply_add(series, r, 2.4022650695910071e-1);
  series = multiply_add(series, r, 6.9314718055994531e-1);
  series = multiply_add(series, r, 1.0);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(series) +
                               (std::bit_cast<uint64_t>(shifted) << 52));
}

/// x^p for finite x other than 0 and finite p; not a number for a negative x unless p is whole.
NOTAPE_HD inline double power_in_double(double x, double p) {
  const double size = exp2_in_double(p * log2_in_double(std::fabs(x))), half = p * 0.5;
  const bool is_whole = std::rint(p) == p, is_even = std::rint(half) == half;
  const double with_sign = is_even ? size : -size;
  const double of_negative = is_whole ? with_sign : std::numeric_limits<double>::quiet_NaN();
  return x < 0 ? of_negative : size;
}

}  // namespace notape
