// The arithmetic of normalisations, the same on every device.
#pragma once
#include "ops/core/device_function.h"

namespace notape {

/// (x - mean) r in T: the mean in two numbers, so that nothing is lost where it is large.
template <typename T>
struct Standardizer {
  T high, low, r;

  static NOTAPE_HD Standardizer of(double mean, double variance, double eps) {
    const T high = static_cast<T>(mean);
    return {high, static_cast<T>(mean - static_cast<double>(high)),
            static_cast<T>(1 / math::sqrt(variance + eps))};
  }
  NOTAPE_HD T operator()(T x) const { return ((x - high) - low) * r; }
};

/// A running statistic after a batch with that statistic; `factor` makes it one of n - 1.
NOTAPE_HD inline double moved_statistic(double before, double batch, double momentum,
                                        double factor) {
  return before * (1 - momentum) + batch * (momentum * factor);
}

}  // namespace notape
