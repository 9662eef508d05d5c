// The tails of the normal distribution for floats without a call.
#pragma once
#include "ops/core/exp_below_zero.h"

namespace notape {

/// e^(a^2 / 2) times the part of the normal distribution beyond a >= 0, within 3 ulp: a quotient of
/// polynomials, minimax of the relative error for a up to 14.5, beyond which e^(-a^2 / 2) is 0. In
/// units of a power of two.
NOTAPE_HD inline float scaled_normal_tail(float a, float unit = 1.0f) {
  using detail::multiply_add;
  float above = multiply_add(0x1.94bfb0p-8f * unit, a, 0x1.f3a1a6p-5f * unit);
  above = multiply_add(above, a, 0x1.19b89cp-2f * unit);
  above = multiply_add(above, a, 0x1.510582p-1f * unit);
  above = multiply_add(above, a, 0x1.809854p-1f * unit);
  float below = multiply_add(0x1.fb457cp-7f, a, 0x1.391e18p-3f);
  below = multiply_add(below, a, 0x1.68e53ap-1f);
  below = multiply_add(below, a, 0x1.ce4e72p0f);
  below = multiply_add(below, a, 0x1.41f12ap1f);
  below = multiply_add(below, a, 0x1.809854p0f);
  return above / below;
}

namespace detail {

/// 2^64 e^(-scale a^2), scale a^2 at most 104, put right for the rounding of a^2, which costs as
/// many last places as a^2 counts.
NOTAPE_HD inline float lifted_exp_of_square(float a, float scale) {
  const float scaled = -scale * a, square = scaled * a;  // exact for a power of two
  return lifted_exp(square, ::fmaf(scaled, a, -square));
}

/// |x|, or `most` if it is larger.
NOTAPE_HD inline float size_up_to(float most, float x) {
  const float size = ::fabsf(x);
  return size > most ? most : size;
}

}  // namespace detail

/// e^(-x^2)
NOTAPE_HD inline float exp_of_square(float x) {
  return detail::lifted_exp_of_square(detail::size_up_to(10.198f, x), 1.0f) * 0x1p-64f;
}

/// e^(-x^2 / 2), and |x| or a number where that is 0.
struct NormalDensity {
  float power, size;

  NOTAPE_HD explicit NormalDensity(float x) : power(0), size(detail::size_up_to(14.4222f, x)) {
    power = detail::lifted_exp_of_square(size, 0.5f) * 0x1p-64f;
  }
};

/// The part of the normal distribution beyond |x|, within 6 ulp; beyond NaN as beyond infinity.
NOTAPE_HD inline float normal_tail(float x) {
  // Compared as whole numbers: one instruction, where a comparison of floats would keep NaN.
  constexpr auto kMost = std::bit_cast<int32_t>(14.4222f);
  const auto bits = std::bit_cast<int32_t>(::fabsf(x));
  const auto size = std::bit_cast<float>(bits < kMost ? bits : kMost);
  return detail::lifted_exp_of_square(size, 0.5f) * scaled_normal_tail(size, 0x1p-64f);
}

}  // namespace notape
