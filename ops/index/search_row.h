// Binary search in a sorted row, the same on every device.
#pragma once
#include <cstdint>

#include "ops/core/device_function.h"

namespace notape {

/// How many elements of the row stand before the value. NaN is the largest element, and as a value
/// it stands behind all, NaN included.
template <typename T, bool kRight>
NOTAPE_HD int64_t count_before(const T* row, const int64_t* sorter, int64_t n, T value) {
  int64_t first = 0, last = n;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    const T element = row[sorter ? sorter[middle] : middle];
    const bool is_behind = kRight ? element > value : element >= value;
    const bool is_nan = element != element, is_before_nan = value == value;
    const bool stands_behind = is_behind | (is_nan & is_before_nan);
    if (stands_behind)
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

}  // namespace notape
