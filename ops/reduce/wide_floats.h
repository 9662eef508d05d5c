// Folds over floats in vectors that are spelled out: of lanes in an array, compilers store all in
// each step.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "ops/reduce/extremum_order.h"
#include "ops/reduce/wide_lanes.h"

namespace notape {

/// As many as a register holds in every processor that is built for: comparisons of larger vectors
/// would be made of single numbers.
#ifdef __AVX__
inline constexpr int64_t kFloats = 8;
#else
inline constexpr int64_t kFloats = 4;
#endif
using Floats [[gnu::vector_size(4 * kFloats)]] = float;
/// All bits of what holds are set.
using Holds = decltype(Floats() == Floats());

inline Floats load_floats(const float* from) {
  Floats values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

using Doubles [[gnu::vector_size(4 * kFloats)]] = double;
inline constexpr int kDoubles = kFloats / 2;

/// kDoubles of the numbers, from `kFirst` on.
template <int kFirst>
Doubles widened(Floats values) {
  return [values]<int... k>(std::integer_sequence<int, k...>) {
    return __builtin_convertvector(__builtin_shufflevector(values, values, (k + kFirst)...),
                                   Doubles);
  }
  (std::make_integer_sequence<int, kDoubles>());
}

/// The sum of floats, which go to double by eights, since widening takes longer than adding: each
/// has three more roundings. Where eight overflow it is no number, though the sum may be one.
inline double sum_of_floats(const float* row, int64_t n) {
  constexpr int64_t kPair = 2 * kFloats, kLongRow = 4096;
  // Four pairs are one behind another, or those of four parts of a long row: memory gives several
  // streams sooner than one.
  const bool is_long = n >= kLongRow;
  const int64_t apart = is_long ? n / 4 / kPair * kPair : kPair, step = is_long ? kPair : 4 * kPair;
  const int64_t end = is_long ? apart : n / (4 * kPair) * (4 * kPair);
  Doubles low{}, high{};
  const auto at = [row](int64_t i) { return load_floats(row + i); };
  const auto pair = [&at](int64_t i) { return at(i) + at(i + kFloats); };
  for (int64_t k = 0; k < end; k += step) {
    const Floats sum = (pair(k) + pair(k + apart)) + (pair(k + 2 * apart) + pair(k + 3 * apart));
    low += widened<0>(sum);
    high += widened<kDoubles>(sum);
  }
  int64_t i = is_long ? 4 * apart : end;
  for (; i + kFloats <= n; i += kFloats) {
    low += widened<0>(at(i));
    high += widened<kDoubles>(at(i));
  }
  low += high;
  double sum = low[0] + low[1];
  if constexpr (kDoubles == 4) sum += low[2] + low[3];
  for (; i < n; ++i) sum += static_cast<double>(row[i]);
  return sum;
}

/// The sum of a row, also where eight overflow.
template <typename T>
double sum_of_row(const T* row, int64_t n) {
  if constexpr (std::is_same_v<T, float>)
    if (const double sum = sum_of_floats(row, n); std::isfinite(sum)) [[likely]]
      return sum;
  return sum_lanes<double>(n, [row](int64_t i) { return row[i]; });
}

/// The sum of load(i), computed in T, for i < n.
template <typename T, typename Load>
double sum_in_blocks(int64_t n, const Load& load) {
  if constexpr (std::is_same_v<T, float>) {
    constexpr int64_t kBlock = 1024;
    float block[kBlock];
    double sum = 0;
    for (int64_t start = 0; start < n; start += kBlock) {
      const int64_t size = std::min(kBlock, n - start);
      for (int64_t i = 0; i < size; ++i) block[i] = load(start + i);
      sum += sum_of_floats(block, size);
    }
    if (std::isfinite(sum)) [[likely]]
      return sum;
  }
  return sum_lanes<double>(n, load);
}

/// a where it is before b, else b.
template <typename Order>
Floats first_of(Floats a, Floats b) {
  if constexpr (std::is_same_v<Order, Larger>)
    return a > b ? a : b;
  else
    return a < b ? a : b;
}

/// Its elements in another order: first those from kPlaces on.
template <int kPlaces, typename Vector>
Vector moved_down(Vector values) {
  return [values]<int... k>(std::integer_sequence<int, k...>) {
    return __builtin_shufflevector(values, values, ((k + kPlaces) % static_cast<int>(kFloats))...);
  }
  (std::make_integer_sequence<int, kFloats>());
}

/// The extremes of several rows of elements, one in each place, and where there was NaN.
template <typename Order>
struct FloatExtremes {
  Floats best;
  Holds nan{};

  explicit FloatExtremes(float first) : best(Floats{} + first) {}
  void take(const float* from) {
    const Floats values = load_floats(from);
    best = first_of<Order>(values, best);
    nan |= values != values;
  }
  void take(const FloatExtremes& other) {
    best = first_of<Order>(other.best, best);
    nan |= other.nan;
  }
  template <int kHalf>
  void fold() {
    best = first_of<Order>(moved_down<kHalf>(best), best);
    nan |= moved_down<kHalf>(nan);
  }
};

/// extreme_of_lanes for floats.
template <typename Order>
LaneExtreme<float> extreme_of_floats(const float* row, int64_t n, float first) {
  FloatExtremes<Order> a(first), b(first), c(first), d(first);
  int64_t i = 0;
  for (; i + 4 * kFloats <= n; i += 4 * kFloats) {
    a.take(row + i);
    b.take(row + i + kFloats);
    c.take(row + i + 2 * kFloats);
    d.take(row + i + 3 * kFloats);
  }
  for (; i + kFloats <= n; i += kFloats) a.take(row + i);
  c.take(d);
  a.take(b);
  a.take(c);
  if constexpr (kFloats == 8) a.template fold<4>();
  a.template fold<2>();
  a.template fold<1>();
  LaneExtreme<float> result{a.best[0], a.nan[0] != 0};
  for (; i < n; ++i) {
    result.value = Order::before(row[i], result.value) ? row[i] : result.value;
    result.saw_nan |= row[i] != row[i];
  }
  return result;
}

}  // namespace notape
