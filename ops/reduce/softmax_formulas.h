// The formulas of softmax, log_softmax and their derivatives, element by element: the same on every
// device. What is summed over a slice, and what an element is finished with once the sum is known.
#pragma once
#include <cmath>

#include "ops/reduce/exponentials.h"

namespace notape {

/// Softmax or, if kLogarithm, its logarithm.
template <bool kLogarithm>
struct SoftmaxFormula {
  /// What is kept of each element until the sum is known, and the result made from it.
  template <typename T>
  static NOTAPE_HD T keep(T difference, T exponential) {
    return kLogarithm ? difference : exponential;
  }
  template <typename T>
  static NOTAPE_HD T factor(const ExponentialSum& sum) {
    const double rest = sum.beside_largest();
    return static_cast<T>(kLogarithm ? math::log1p(rest) : 1 / (1 + rest));
  }
  template <typename T>
  static NOTAPE_HD T finish(T kept, T factor) {
    return kLogarithm ? kept - factor : kept * factor;
  }
};

/// What a formula knows of a slice when it finishes an element: the sum of its terms, and those of
/// all elements but the one that has more than half of the probability, if there is one. Beside
/// that one they would be lost, and it has to finish without them.
template <typename T>
struct SliceSums {
  T all, others;
  T mass;  ///< the probability of the others
};

/// y (g - sum(g y)), for y = softmax(x): a symmetric Jacobian.
struct SoftmaxGradient {
  template <typename T>
  static NOTAPE_HD T term(T g, T y) {
    return g * y;
  }
  template <typename T>
  static NOTAPE_HD T finish(T g, T y, T sum) {
    return y * (g - sum);
  }

  template <typename T>
  static NOTAPE_HD T probability(T y) {
    return y;
  }
  template <typename T>
  static NOTAPE_HD bool dominates(T y) {
    return y > T(0.5);
  }
  /// g - g y = g (1 - y)
  template <typename T>
  static NOTAPE_HD T finish_largest(T g, T y, const SliceSums<T>& sums) {
    return y * (g * sums.mass - sums.others);
  }
};

/// For y, the logarithm of a probability.
struct OfLogarithm {
  template <typename T>
  static NOTAPE_HD T probability(T) {
    return T(0);  // nobody asks
  }
  template <typename T>
  static NOTAPE_HD bool dominates(T y) {
    return y > T(-0.5);  // not log(1/2): two that are nearly so may both be rounded beyond it
  }
};
/// g - e^y sum(g), for y = log_softmax(x).
struct LogSoftmaxGradient : OfLogarithm {
  template <typename T>
  static NOTAPE_HD T term(T g, T) {
    return g;
  }
  template <typename T>
  static NOTAPE_HD T finish(T g, T y, T sum) {
    return g - exp_below_zero(y) * sum;
  }
  template <typename T>
  static NOTAPE_HD T finish_largest(T, T y, const SliceSums<T>& sums) {
    return -math::expm1(y) * sums.all - sums.others;
  }
};
/// t - sum(e^y t), its transpose.
struct LogSoftmaxTangent : OfLogarithm {
  template <typename T>
  static NOTAPE_HD T term(T t, T y) {
    return exp_below_zero(y) * t;
  }
  template <typename T>
  static NOTAPE_HD T finish(T t, T, T sum) {
    return t - sum;
  }
  template <typename T>
  static NOTAPE_HD T finish_largest(T t, T y, const SliceSums<T>& sums) {
    return -math::expm1(y) * t - sums.others;
  }
};

}  // namespace notape
