// A function with its derivatives of every order as functors: Family::of(order, x) computes them
// for doubles and 113-bit numbers.
#pragma once
#include "ops/elementwise/operator.h"

namespace notape {

template <typename Family>
struct OfOrder {
  int order = 0;

  /// Floats are computed in double.
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    if constexpr (std::is_same_v<T, float>)
      return static_cast<float>(Family::of(order, static_cast<double>(x)));
    else if constexpr (requires { x.slope; })
      return T(Family::of(order, x.value), Family::of(order + 1, x.value) * x.slope, x.moves);
    else
      return Family::of(order, x);
  }
};

}  // namespace notape
