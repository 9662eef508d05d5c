// Which of two elements of a slice stands before the other when they are in order.
#pragma once
#include <cstdint>

#include "ops/core/device_function.h"

namespace notape {

template <typename T>
struct OrderingEntry {
  T value;
  int64_t index;
};

/// Whether a stands before b: NaN is the largest, and of equal ones the first is first.
template <typename T, bool kDescending>
NOTAPE_HD bool stands_before(const OrderingEntry<T>& a, const OrderingEntry<T>& b) {
  const T &low = kDescending ? b.value : a.value, &high = kDescending ? a.value : b.value;
  if (low < high) return true;
  if (high < low) return false;
  const bool low_is_nan = low != low, high_is_nan = high != high;
  return low_is_nan != high_is_nan ? high_is_nan : a.index < b.index;
}

}  // namespace notape
