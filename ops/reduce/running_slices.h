// What runs along a slice, by one thread, the same on every device.
#pragma once
#include <cmath>
#include <limits>

#include "ops/reduce/accumulator.h"
#include "ops/reduce/extremum_order.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/team.h"

namespace notape {

template <typename T>
struct RunningProduct {
  const T* self;
  Accumulated<T>* result;
  Slices slices;

  NOTAPE_HD void operator()(int64_t slice, const LoneThread&) const {
    const int64_t start = slices.start(slice), end = start + slices.size * slices.inner;
    Accumulator<T> product = 1;
    for (int64_t i = start; i < end; i += slices.inner)
      result[i] = static_cast<Accumulated<T>>(product *= static_cast<Accumulator<T>>(self[i]));
  }
};

/// log(e^a + e^b) in double; infinities are what they should be, and NaN stays.
NOTAPE_HD inline double log_add(double a, double b) {
  const double high = a > b || a != a ? a : b, low = a > b || a != a ? b : a;
  if (high != high || std::isinf(high)) return high + (low != low ? low : 0);
  return high + std::log1p(std::exp(low - high));
}

template <typename T>
struct RunningLogSum {
  const T* self;
  T* result;
  Slices slices;

  NOTAPE_HD void operator()(int64_t slice, const LoneThread&) const {
    const int64_t start = slices.start(slice), end = start + slices.size * slices.inner;
    double sum = -std::numeric_limits<double>::infinity();
    for (int64_t i = start; i < end; i += slices.inner)
      result[i] = static_cast<T>(sum = log_add(sum, static_cast<double>(self[i])));
  }
};

template <typename Order, typename T>
struct RunningExtreme {
  const T* self;
  T* values;
  int64_t* indices;
  Slices slices;

  NOTAPE_HD void operator()(int64_t slice, const LoneThread&) const {
    const int64_t start = slices.start(slice);
    if (slices.size == 0) return;
    T best = self[start];
    int64_t where = 0;
    for (int64_t k = 0, i = start; k < slices.size; ++k, i += slices.inner) {
      if (takes_over(self[i], best)) {
        best = self[i];
        where = k;
      }
      values[i] = best;
      indices[i] = where;
    }
  }

  /// Whether the value takes the place of the best so far: also if it equals it.
  static NOTAPE_HD bool takes_over(T value, T best) {
    return !Order::before(best, value) && (best == best || value != value);
  }
};

}  // namespace notape
