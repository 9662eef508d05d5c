// Folds over rows of the CPU in more lanes than row.h has: where each step is one instruction, few
// lanes would wait for one another.
#pragma once
#include "ops/reduce/row.h"

namespace notape {

template <typename T>
struct LaneExtreme {
  T value;
  bool saw_nan;
};
/// The element that no other is before(that, this), from `first` on, passing over NaN, and whether
/// there was one: in one pass.
template <typename T, typename Before>
LaneExtreme<T> extreme_of_lanes(const T* row, int64_t n, T first, const Before& before) {
  constexpr int64_t kWide = 2 * kLanes;
  T lanes[kWide];
  int32_t nan[kWide] = {};  // counts
  for (T& lane : lanes) lane = first;
  int64_t i = 0;
  for (; i + kWide <= n; i += kWide)
    for (int64_t k = 0; k < kWide; ++k) {
      const T value = row[i + k];
      lanes[k] = before(value, lanes[k]) ? value : lanes[k];
      nan[k] |= value != value;
    }
  for (int64_t k = 0; i < n; ++i, ++k) {
    lanes[k] = before(row[i], lanes[k]) ? row[i] : lanes[k];
    nan[k] |= row[i] != row[i];
  }
  LaneExtreme<T> result{first, false};
  for (int64_t k = 0; k < kWide; ++k) {
    result.value = before(lanes[k], result.value) ? lanes[k] : result.value;
    result.saw_nan |= nan[k] != 0;
  }
  return result;
}

}  // namespace notape
