#include "ops/reduce/extremum.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "ops/core/run_wide.h"
#include "ops/parallel.h"
#include "ops/reduce/extremum_order.h"
#include "ops/reduce/wide_floats.h"

namespace notape {
namespace {

/// How many columns are taken at a time, at most: their extremes stay in the nearest cache.
constexpr int64_t kExtremumColumns = 1024;

/// n > 0
template <typename Order, typename T>
T extreme_of(const T* values, int64_t n) {
  constexpr int64_t kBlock = 8192;  // after a NaN the rest need not be read
  T best = values[0];
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t size = std::min(kBlock, n - start);
    LaneExtreme<T> extreme{};
    if constexpr (std::is_same_v<T, float>)
      extreme = extreme_of_floats<Order>(values + start, size, best);
    else
      extreme = extreme_of_lanes(values + start, size, best,
                                 [](T a, T b) { return Order::before(a, b); });
    if constexpr (std::is_floating_point_v<T>)
      if (extreme.saw_nan) return std::numeric_limits<T>::quiet_NaN();
    best = extreme.value;
  }
  return best;
}

/// The same by pieces that threads may share.
template <typename Order, typename T>
T extreme_of_pieces(const T* row, int64_t n) {
  if (n <= kParallelGrain) return extreme_of<Order>(row, n);
  const int64_t pieces = (n - 1) / kParallelGrain + 1;
  const auto bests = std::make_unique<T[]>(static_cast<std::size_t>(pieces));
  parallel_for(0, n, kParallelGrain, [&](int64_t first, int64_t last) {
    bests[static_cast<std::size_t>(first / kParallelGrain)] =
        extreme_of<Order>(row + first, last - first);
  });
  return extreme_of<Order>(bests.get(), pieces);
}

/// `best`, an extreme of elements that are `step` apart, as the first that equals it: with its sign
/// if it is 0, whatever order they were compared in.
template <typename T>
T with_sign(T best, const T* elements, int64_t step) {
  if constexpr (std::is_floating_point_v<T>)
    if (best == 0) {
      while (*elements != 0) elements += step;
      return *elements;
    }
  return best;
}

template <typename Order, typename T>
T extreme_of_row(const T* row, int64_t n) {
  return with_sign(extreme_of_pieces<Order>(row, n), row, 1);
}

/// Rows of `width` columns, `step` apart: best[n] becomes the extreme of column n and itself, NaN
/// if there is one.
template <typename Order, typename T>
void improve(T* best, const T* rows, int64_t count, int64_t step, int64_t width) {
  const auto better = [](T value, T than) {
    const bool is_number = value == value;
    const bool is_before = Order::before(value, than);
    return (is_number & !is_before) ? than : value;
  };
  int64_t i = 0;
  for (; i + 4 <= count; i += 4, rows += 4 * step) {
    const T *first = rows, *second = first + step, *third = second + step, *fourth = third + step;
#ifndef __clang__  // which looks at run time whether they overlap
#pragma GCC ivdep
#endif
    for (int64_t n = 0; n < width; ++n)
      best[n] = better(fourth[n], better(third[n], better(second[n], better(first[n], best[n]))));
  }
  for (; i < count; ++i, rows += step)
    for (int64_t n = 0; n < width; ++n) best[n] = better(rows[n], best[n]);
}

/// The extremes alone of columns [first, last): self (size, inner), values (inner).
template <typename Order, typename T>
void find_column_extremes(const T* self, T* values, const Slices& s, int64_t first, int64_t last) {
  constexpr int64_t kWide = 64;
  T best[kExtremumColumns];
  const int64_t width = last - first;
  // Narrow rows are compared several at a time, as if they were one.
  const int64_t joined = s.inner < kWide ? std::min(kWide / s.inner, s.size) : 1;
  std::copy_n(self + first, joined * width, best);
  const int64_t rows = s.size / joined;
  improve<Order>(best, self + first, rows, joined * s.inner, joined * width);
  improve<Order>(best, self + rows * joined * s.inner + first, s.size % joined, s.inner, width);
  improve<Order>(best, best + width, joined - 1, width, width);
  for (int64_t n = 0; n < width; ++n) {
    T& value = values[first + n] = best[n];
    if constexpr (std::is_floating_point_v<T>)
      if (value != value) value = std::numeric_limits<T>::quiet_NaN();
    if (joined > 1) value = with_sign(value, self + first + n, s.inner);
  }
}

/// self: (outer, size, inner); values, indices: (outer, inner). Places are counted in numbers as
/// wide as elements, which vectors hold as many of.
template <typename Order, typename Place, typename T>
void find_places(const T* self, T* values, int64_t* indices, const Slices& s) {
  for (int64_t k = 0; k < s.outer * s.inner;) {
    const int64_t o = k / s.inner, n = k % s.inner;
    const int64_t width = std::min(kExtremumColumns, s.inner - n);
    const T* row = self + o * s.size * s.inner + n;
    T best[kExtremumColumns];
    Place where[kExtremumColumns];
    std::copy_n(row, width, best);
    std::fill_n(where, width, Place(0));
    detail::run_wide<T>([&] {
      const T* next = row;
      for (int64_t i = 1; i < s.size; ++i) {
        next += s.inner;
        for (int64_t c = 0; c < width; ++c) {
          const bool better = beats<Order>(next[c], best[c]);
          best[c] = better ? next[c] : best[c];
          where[c] = better ? static_cast<Place>(i) : where[c];
        }
      }
    });
    std::copy_n(best, width, values + k);
    std::copy_n(where, width, indices + k);
    k += width;
  }
}
template <typename Order, typename T>
void find_extremes(const T* self, T* values, int64_t* indices, const Slices& s) {
  if (sizeof(T) <= 4 && s.size <= std::numeric_limits<int32_t>::max())
    find_places<Order, int32_t>(self, values, indices, s);
  else
    find_places<Order, int64_t>(self, values, indices, s);
}

/// Where the first element is that equals `best`, which is one of them; NaN equals NaN. Blocks are
/// asked whether they hold it before their elements are.
template <typename T>
int64_t place_of(T best, const T* row, int64_t n) {
  constexpr int64_t kBlock =
      64;  // a shorter loop is unrolled, and not compiled to vector instructions
  if (best != best) return std::find_if(row, row + n, [](T value) { return value != value; }) - row;
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    std::conditional_t<sizeof(T) == 8, int64_t, int32_t> found = 0;
    for (int64_t j = 0; j < kBlock; ++j) found |= row[i + j] == best;
    if (found != 0) break;
  }
  while (row[i] != best) ++i;
  return i;
}

/// One row at a time: first the value, then its place.
template <typename Order, typename T>
void find_row_extremes(const T* row, T* values, int64_t* indices, const Slices& s) {
  for (int64_t o = 0; o < s.outer; ++o, row += s.size) {
    const T best = values[o] = extreme_of_row<Order>(row, s.size);
    if (indices) indices[o] = place_of(best, row, s.size);
  }
}

template <typename Order, typename T>
void find_in_columns(const T* self, T* values, const Slices& s) {
  constexpr int64_t kSharedColumns = 256, kEnoughPieces = 8;
  const bool is_shared =
      !runs_on_one_thread() && s.outer * (s.inner / kExtremumColumns) < kEnoughPieces;
  const int64_t columns = is_shared ? kSharedColumns : kExtremumColumns;
  const int64_t blocks = (s.inner - 1) / columns + 1, work = s.size * std::min(s.inner, columns);
  parallel_for(0, s.outer * blocks, std::max<int64_t>(1, kParallelGrain / work),
               [&](int64_t first, int64_t last) {
                 for (int64_t i = first; i < last; ++i) {
                   const int64_t o = i / blocks, begin = i % blocks * columns;
                   find_column_extremes<Order>(self + o * s.size * s.inner, values + o * s.inner, s,
                                               begin, std::min(begin + columns, s.inner));
                 }
               });
}

template <typename Order, typename T>
void find_extremum(const T* self, T* values, int64_t* indices, const Slices& s) {
  if (s.inner > 1 && !indices) return find_in_columns<Order>(self, values, s);
  const int64_t size = s.size * s.inner;
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, size));
  parallel_for(0, s.outer, grain, [&](int64_t first, int64_t last) {
    Slices part = s;
    part.outer = last - first;
    (s.inner == 1 ? find_row_extremes<Order, T>
                  : find_extremes<Order, T>)(self + first * size, values + first * s.inner,
                                             indices ? indices + first * s.inner : nullptr, part);
  });
}

void extremum_on_cpu(const Operation&, const Tensor& values, const Tensor& indices,
                     const Tensor& self, const Slices& s, Extreme which) {
  auto* const places = indices.defined() ? indices.impl().data_as<int64_t>() : nullptr;
  visit_computed(self.dtype(), [&]<typename T>() {
    visit_order(which == Extreme::Largest, [&]<typename Order>() {
      find_extremum<Order>(self.impl().data_as<T>(), values.impl().data_as<T>(), places, s);
    });
  });
}

}  // namespace

constinit ExtremumKernel extremum_kernel(extremum_on_cpu);

}  // namespace notape
