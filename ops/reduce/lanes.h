// Folding a run of values in several lanes at once: short dependency chains, vector instructions,
// and in sums smaller rounding errors than one running value would have.
#pragma once
#include <cstdint>

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

}  // namespace notape
