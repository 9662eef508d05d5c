// The functors of remainder and fmod: what is left of a after whole multiples of b.
#pragma once
#include "ops/elementwise/operator.h"

namespace notape {

/// With the sign of a. Integers have no zero b (divisors.h); with -1 nothing is left, though the
/// quotient may be out of range.
struct Fmod {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    if constexpr (std::is_unsigned_v<T>)
      return b == T(0) ? T(0) : static_cast<T>(a % b);
    else if constexpr (std::is_integral_v<T>)
      return b == T(0) || b == T(-1) ? T(0) : static_cast<T>(a % b);
    else
      return math::fmod(a, b);
  }
};
/// The whole number m with a = m b + fmod(a, b).
struct FmodMultiple {
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return math::rint((a - Fmod()(a, b)) / b);
  }
};
/// Whether what is left has another sign than b.
template <typename T>
NOTAPE_HD bool is_on_the_other_side(T rest, T b) {
  return rest != T(0) && (rest < T(0)) != (b < T(0));
}
/// With the sign of b.
struct Remainder {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const T rest = Fmod()(a, b);
    return is_on_the_other_side(rest, b) ? static_cast<T>(rest + b) : rest;
  }
};
struct RemainderMultiple {
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const T multiple = FmodMultiple()(a, b);
    return is_on_the_other_side(Fmod()(a, b), b) ? multiple - T(1) : multiple;
  }
};

}  // namespace notape
