#include "ops/reduce/extremum.h"

#include <algorithm>
#include <limits>

#include "ops/reduce/extremum_order.h"
#include "ops/reduce/row.h"

namespace notape {
namespace {

/// n > 0. NaN is looked for apart from the rest: two loops of vector instructions.
template <typename Order, typename T>
T extreme_of(const T* values, int64_t n) {
  constexpr int64_t kBlock = 2048;
  T best = values[0];
  for (int64_t start = 0; start < n; start += kBlock) {
    const T* block = values + start;
    const int64_t size = std::min(kBlock, n - start);
    const auto load = [block](int64_t i) { return block[i]; };
    best = fold_lanes(size, best, load, [](T a, T b) { return Order::before(b, a) ? b : a; });
    if constexpr (std::is_floating_point_v<T>)
      if (sum_lanes<int32_t>(size, [block](int64_t i) { return block[i] != block[i]; }) > 0)
        return std::numeric_limits<T>::quiet_NaN();
  }
  return best;
}

/// self: (outer, size, inner); values, indices: (outer, inner)
template <typename Order, typename T>
void find_extremes(const T* self, T* values, int64_t* indices, const Slices& s) {
  for (int64_t o = 0; o < s.outer; ++o, self += s.size * s.inner) {
    T* best = values + o * s.inner;
    int64_t* where = indices + o * s.inner;
    for (int64_t n = 0; n < s.inner; ++n) {
      best[n] = self[n];
      where[n] = 0;
    }
    for (int64_t i = 1; i < s.size; ++i)
      for (int64_t n = 0; n < s.inner; ++n) {
        const T value = self[i * s.inner + n];
        const bool better = beats<Order>(value, best[n]);
        best[n] = better ? value : best[n];
        where[n] = better ? i : where[n];
      }
  }
}

/// One row at a time: first the value, then its place.
template <typename Order, typename T>
void find_row_extremes(const T* row, T* values, int64_t* indices, const Slices& s) {
  for (int64_t o = 0; o < s.outer; ++o, row += s.size) {
    const T best = values[o] = extreme_of<Order>(row, s.size);
    if (!indices) continue;
    int64_t where = 0;
    while (row[where] != best && !(best != best && row[where] != row[where])) ++where;
    indices[o] = where;
  }
}

void extremum_on_cpu(const Operation&, const Tensor& values, const Tensor& indices,
                     const Tensor& self, const Slices& s, Extreme which) {
  auto* const where = indices.defined() ? indices.impl().data_as<int64_t>() : nullptr;
  visit_computed(self.dtype(), [&]<typename T>() {
    visit_order(which == Extreme::Largest, [&]<typename Order>() {
      (s.inner == 1 ? find_row_extremes<Order, T>
                    : find_extremes<Order, T>)(self.impl().data_as<T>(), values.impl().data_as<T>(),
                                               where, s);
    });
  });
}

}  // namespace

constinit ExtremumKernel extremum_kernel(extremum_on_cpu);

}  // namespace notape
