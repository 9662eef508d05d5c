// A row of elements that lie side by side, and folds over it in several lanes at once: short
// dependency chains, vector instructions, and in sums smaller rounding errors than one running
// value would have.
#pragma once
#include <cstdint>

#include "ops/core/device_function.h"

namespace notape {

inline constexpr int64_t kLanes = 16;

/// combine(...combine(neutral, load(0))..., load(n - 1)), in another order; combine is associative
/// and commutative but for rounding.
template <typename Value, typename Load, typename Combine>
Value fold_lanes(int64_t n, Value neutral, const Load& load, const Combine& combine) {
  if (n < kLanes) {
    Value value = neutral;
    for (int64_t i = 0; i < n; ++i) value = combine(value, load(i));
    return value;
  }
  Value lanes[kLanes];
  for (Value& lane : lanes) lane = neutral;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t k = 0; k < kLanes; ++k) lanes[k] = combine(lanes[k], load(i + k));
  for (int64_t k = 0; i < n; ++i, ++k) lanes[k] = combine(lanes[k], load(i));
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t k = 0; k < width; ++k) lanes[k] = combine(lanes[k], lanes[k + width]);
  return lanes[0];
}

template <typename Sum, typename Load>
Sum sum_lanes(int64_t n, const Load& load) {
  return fold_lanes(
      n, Sum(0), [&load](int64_t i) { return static_cast<Sum>(load(i)); },
      [](Sum a, Sum b) { return a + b; });
}

/// A row as functors of reductions see it on the CPU; on a GPU it is a SharedRow.
template <typename T>
class Row {
 public:
  using Element = T;

  Row(const T* data, int64_t size) : data_(data), size_(size) {}

  int64_t size() const { return size_; }
  const T* data() const { return data_; }
  T operator[](int64_t i) const { return data_[i]; }

  /// Folds load(i) over all places i: see fold_lanes.
  template <typename Value, typename Load, typename Combine>
  Value fold(Value neutral, const Load& load, const Combine& combine) const {
    return fold_lanes(size_, neutral, load, combine);
  }

 private:
  const T* data_;
  int64_t size_;
};

/// The sum of load(i) over all places of a row.
template <typename Sum, typename SomeRow, typename Load>
NOTAPE_HD Sum sum_row(const SomeRow& row, const Load& load) {
  return row.fold(
      Sum(0), [&load](int64_t i) { return static_cast<Sum>(load(i)); },
      [](Sum a, Sum b) { return a + b; });
}

}  // namespace notape
