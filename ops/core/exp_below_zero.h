// e^x for x <= 0 without a call, on every device.
#pragma once
#include <bit>
#include <cstdint>

#include "ops/core/device_function.h"
#include "ops/core/multiply_add.h"

namespace notape {
namespace detail {

/// e^r for |r| <= log(2) / 2, by a minimax polynomial within 4e-9.
[[gnu::always_inline]] NOTAPE_HD inline float exp_near_zero(float r) {
  float series = multiply_add(0x1.6a4d60p-10f, r, 0x1.12398ep-7f);
  series = multiply_add(series, r, 0x1.5558b0p-5f);
  series = multiply_add(series, r, 0x1.555492p-3f);
  series = multiply_add(series, r, 0x1.fffffcp-2f);
  return multiply_add(multiply_add(series, r, 1.0f), r, 1.0f);
}

/// 2^64 e^(x + rest) for x from -104 to 0, or NaN, and a rest of less than a last place of x: 2^n
/// e^r with |r| <= log(2) / 2. Without branches or calls, so that loops over it are compiled to
/// vector instructions.
template <typename... Rest>
[[gnu::always_inline]] NOTAPE_HD inline float lifted_exp(float x, Rest... rest) {
  // Adding it rounds to a whole number, whose lowest bits become the exponent of 2^(n + 64): of 2^n
  // alone it may be less than that of the smallest normal number.
  constexpr float kRounder = 0x1.8p23f + 127 + 64;
  constexpr float kLogTwoHigh = 0x1.62e4p-1f, kLogTwoLow = 0x1.7f7d1cp-20f;
  const float shifted = multiply_add(x, 0x1.715476p0f, kRounder);
  const float whole = shifted - kRounder;
  const float r =
      (multiply_add(whole, -kLogTwoLow, multiply_add(whole, -kLogTwoHigh, x)) + ... + rest);
  return exp_near_zero(r) * std::bit_cast<float>(std::bit_cast<uint32_t>(shifted) << 23);
}

}  // namespace detail

/// e^x for x <= 0 or NaN, within 0.9 ulp, or 1.2 without fused instructions.
NOTAPE_HD inline float exp_below_zero(float x) {
  const float bounded = x < -104.0f ? -104.0f : x;  // e^-104 rounds to 0
  return detail::lifted_exp(bounded) * 0x1p-64f;
}
NOTAPE_HD inline double exp_below_zero(double x) { return math::exp(x); }

}  // namespace notape
