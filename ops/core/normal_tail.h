// The tails of the normal distribution for floats without a call: erf and gelu.
#pragma once
#include "ops/core/exp_below_zero.h"

namespace notape {

/// e^(a^2 / 2) times the part of the normal distribution beyond a >= 0, within 3 ulp: a polynomial
/// of t = 1 / (1 + 5 a / 16), minimax of the relative error for a up to 14.5, beyond which e^(-a^2
/// / 2) is 0.
NOTAPE_HD inline float scaled_normal_tail(float a) {
  const float t = 1.0f / (1.0f + 0.3125f * a);
  const float series = ((((((((-1.902827807e-2f * t + 9.144590795e-2f) * t - 1.5110577643e-1f) * t +
                             7.4295558035e-2f) *
                                t -
                            2.5287734e-3f) *
                               t +
                           5.5527307093e-2f) *
                              t +
                          9.0096212924e-2f) *
                             t +
                         1.11881963909e-1f) *
                            t +
                        1.24750517309e-1f) *
                           t +
                       1.24665349722e-1f;
  return series * t;
}

/// e^(-scale x^2), for scale 1 or 1/2, put right for the rounding of x^2, which costs as many last
/// places as x^2 counts.
NOTAPE_HD inline float exp_of_square(float x, float scale) {
  const float square = x * x, rounding = ::fmaf(x, x, -square);
  const float power = exp_below_zero(-scale * square);
  return square < 1024.0f ? power - power * (scale * rounding) : power;
}

/// The part of the normal distribution beyond |x|, within 5 ulp.
NOTAPE_HD inline float normal_tail(float x) {
  return exp_of_square(x, 0.5f) * scaled_normal_tail(x < 0.0f ? -x : x);
}

}  // namespace notape
