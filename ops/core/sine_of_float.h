// Sine and cosine of floats without a call.
#pragma once
#include <bit>
#include <cstdint>

#include "ops/core/multiply_add.h"

namespace notape {

/// Up to here a multiple of pi / 2 is subtracted exactly enough, by instructions that round once.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline constexpr float kLargestForSine = 30000.0f;
#else
inline constexpr float kLargestForSine = 0.0f;
#endif

namespace detail {

/// sin(|x| + quadrant pi / 2) but for its sign bit, which comes beside it.
struct SineAndSign {
  float size;
  uint32_t sign;
};
NOTAPE_HD inline SineAndSign sine_in_quadrant(float x, uint32_t quadrant) {
  constexpr float kHalfPi[] = {0x1.921fb6p0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
  const float size = std::fabs(x), shifted = multiply_add(size, 0x1.45f306p-1f, 0x1.8p23f),
              turns = shifted - 0x1.8p23f;
  const uint32_t q = std::bit_cast<uint32_t>(shifted) + quadrant;
  const float first = multiply_add(turns, -kHalfPi[0], size);
  const float second = turns * -kHalfPi[1], r = first + second;
  // What these two were rounded by, and the rest of pi / 2.
  const float rounded = multiply_add(turns, -kHalfPi[1], -second) + ((first - r) + second),
              low = multiply_add(turns, -kHalfPi[2], rounded);
  // Minimax polynomials of r^2 for |r| <= pi / 4: within 0.06 and 0.001 ulp.
  const float s = r * r;
  float sine = multiply_add(-0x1.994e8ep-13f, s, 0x1.110762p-7f);
  sine = multiply_add(sine, s, -0x1.555546p-3f);
  sine = r + multiply_add(sine, r * s, low);
  float cosine = multiply_add(0x1.993444p-16f, s, -0x1.6c0880p-10f);
  cosine = multiply_add(cosine, s, 0x1.55553ep-5f);
  cosine = multiply_add(cosine, s, -0.5f);
  cosine = 1.0f + multiply_add(cosine, s, -r * low);
  return {(q & 1) != 0 ? cosine : sine, (q & 2) << 30};
}

}  // namespace detail

/// sin(x) within 1.2 ulp for |x| <= kLargestForSine. Without branches, so that loops over it are
/// compiled to vector instructions.
NOTAPE_HD inline float sine_of_float(float x) {
  const auto [size, sign] = detail::sine_in_quadrant(x, 0);
  const uint32_t sign_of_x = std::bit_cast<uint32_t>(x) & 0x80000000u;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(size) ^ sign ^ sign_of_x);
}

/// cos(x), likewise.
NOTAPE_HD inline float cosine_of_float(float x) {
  const auto [size, sign] = detail::sine_in_quadrant(x, 1);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(size) ^ sign);
}

}  // namespace notape
