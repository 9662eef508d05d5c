// e^-|x| that keeps its digits where it is too small for a normal number: what is multiplied with
// it first is large.
#pragma once
#include "ops/elementwise/constant.h"

namespace notape {

/// e^-|x| = power * factor. Far out the factor is e^-44, else 1.
template <typename T>
struct SplitExponential {
  T power, factor;

  static NOTAPE_HD SplitExponential below(T x) {
    const T size = math::abs(x);
    if constexpr (sizeof(T) > 8 && !requires { typename T::value_type; }) {  // of a reference
      return {math::exp(-size), T(1)};
    } else {
      const auto far = size > T(80);
      return {math::exp(math::select(far, T(44), T(0)) - size),
              math::select(far, constant<T>(7.78113224113379651571e-20), T(1))};
    }
  }
};

}  // namespace notape
