#include "ops/reduce/running.h"

#include <cmath>
#include <limits>

#include "ops/reduce/accumulator.h"
#include "ops/reduce/extremum_order.h"

namespace notape {
namespace {

/// run(first element, its place in the tensor, distance of elements, how many) for each slice.
template <typename Run>
void for_each_slice(const Slices& s, const Run& run) {
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(s.size, 1));
  parallel_for(0, s.count(), grain, [&](int64_t first, int64_t last) {
    for (int64_t slice = first; slice < last; ++slice) run(s.start(slice));
  });
}

void cumprod_on_cpu(const Operation&, const Tensor& result, const Tensor& self, const Slices& s) {
  visit_computed(self.dtype(), [&]<typename T>() {
    const T* from = self.impl().data_as<T>();
    auto* to = result.impl().data_as<Accumulated<T>>();
    for_each_slice(s, [&](int64_t start) {
      Accumulator<T> product = 1;
      for (int64_t i = start, end = start + s.size * s.inner; i < end; i += s.inner)
        to[i] = static_cast<Accumulated<T>>(product *= static_cast<Accumulator<T>>(from[i]));
    });
  });
}

/// log(e^a + e^b) in double; infinities are what they should be, and NaN stays.
double log_add(double a, double b) {
  const double high = a > b || a != a ? a : b, low = a > b || a != a ? b : a;
  if (high != high || std::isinf(high)) return high + (low != low ? low : 0);
  return high + std::log1p(std::exp(low - high));
}

void logcumsumexp_on_cpu(const Operation& op, const Tensor& result, const Tensor& self,
                         const Slices& s) {
  if (!self.is_floating_point()) no_kernel(op, self.dtype(), self.device());
  visit_floating(self.dtype(), [&]<typename T>() {
    const T* from = self.impl().data_as<T>();
    T* to = result.impl().data_as<T>();
    for_each_slice(s, [&](int64_t start) {
      double sum = -std::numeric_limits<double>::infinity();
      for (int64_t i = start, end = start + s.size * s.inner; i < end; i += s.inner)
        to[i] = static_cast<T>(sum = log_add(sum, static_cast<double>(from[i])));
    });
  });
}

/// Whether the value takes the place of the best so far: also if it equals it.
template <typename Order, typename T>
bool takes_over(T value, T best) {
  return !Order::before(best, value) && (best == best || value != value);
}

void running_extreme_on_cpu(const Operation&, const Tensor& values, const Tensor& indices,
                            const Tensor& self, const Slices& s, Extreme which) {
  visit_computed(self.dtype(), [&]<typename T>() {
    visit_order(which == Extreme::Largest, [&]<typename Order>() {
      const T* from = self.impl().data_as<T>();
      T* to = values.impl().data_as<T>();
      auto* place = indices.impl().data_as<int64_t>();
      for_each_slice(s, [&](int64_t start) {
        if (s.size == 0) return;
        T best = from[start];
        int64_t where = 0;
        for (int64_t k = 0, i = start; k < s.size; ++k, i += s.inner) {
          if (takes_over<Order>(from[i], best)) {
            best = from[i];
            where = k;
          }
          to[i] = best;
          place[i] = where;
        }
      });
    });
  });
}

}  // namespace

constinit RunningKernel cumprod_kernel(cumprod_on_cpu);
constinit RunningKernel logcumsumexp_kernel(logcumsumexp_on_cpu);
constinit RunningExtremeKernel running_extreme_kernel(running_extreme_on_cpu);

}  // namespace notape
