// Kernels along one dimension, for a team of threads at each slice (ops/reduce/team.h): a block or
// one thread of a GPU, and threads of the CPU in tests.
#pragma once
#include "ops/reduce/accumulator.h"
#include "ops/reduce/extremum_order.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/scan_kernels.h"
#include "ops/reduce/softmax_formulas.h"

namespace notape::cuda {

template <typename Formula, typename T>
struct Softmax {
  const T* self;
  T* result;
  Slices slices;

  template <typename Team>
  NOTAPE_HD void operator()(int64_t slice, const Team& team) const {
    const int64_t start = slices.start(slice), step = slices.inner;
    const SharedRow<T, Team> row(self + start, slices.size, step, team);
    T* const out = result + start;
    const ExponentialSum sum =
        sum_of_exponentials(row, largest(row), [out, step](int64_t i, T difference, T exponential) {
          out[i * step] = Formula::keep(difference, exponential);
        });
    const T factor = Formula::template factor<T>(sum);
    // Each thread finishes what it has kept.
    row.each([&](int64_t i) { out[i * step] = Formula::finish(out[i * step], factor); });
  }
};

/// Of a gradient or tangent g and the result y of softmax or log_softmax.
template <typename Formula, typename T>
struct SoftmaxGradientSlice {
  const T *g, *y;
  T* result;
  Slices slices;

  struct Sums {
    double all, others, mass;
    int64_t largest;  ///< the place that dominates, or -1
  };

  template <typename Team>
  NOTAPE_HD void operator()(int64_t slice, const Team& team) const {
    const int64_t start = slices.start(slice), step = slices.inner;
    const SharedRow<T, Team> grads(g + start, slices.size, step, team);
    const SharedRow<T, Team> values(y + start, slices.size, step, team);
    const Sums sums = values.fold(
        Sums{0, 0, 0, -1},
        [&](int64_t i) {
          const auto term = static_cast<double>(Formula::term(grads[i], values[i]));
          if (Formula::dominates(values[i])) return Sums{term, 0, 0, i};
          return Sums{term, term, static_cast<double>(Formula::probability(values[i])), -1};
        },
        [](const Sums& a, const Sums& b) {
          return Sums{a.all + b.all, a.others + b.others, a.mass + b.mass,
                      a.largest > b.largest ? a.largest : b.largest};
        });
    const SliceSums<T> rounded{static_cast<T>(sums.all), static_cast<T>(sums.others),
                               static_cast<T>(sums.mass)};
    values.each([&](int64_t i) {
      result[start + i * step] = i == sums.largest
                                     ? Formula::finish_largest(grads[i], values[i], rounded)
                                     : Formula::finish(grads[i], values[i], rounded.all);
    });
  }
};

template <typename Order, typename T>
struct Extremum {
  const T* self;
  T* values;
  int64_t* indices;  ///< or null
  Slices slices;

  struct Found {
    T value;
    int64_t at;
  };

  template <typename Team>
  NOTAPE_HD void operator()(int64_t slice, const Team& team) const {
    const SharedRow<T, Team> row(self + slices.start(slice), slices.size, slices.inner, team);
    const Found found = row.fold(
        Found{row[0], 0},
        [&row](int64_t i) {
          return Found{row[i], i};
        },
        [](const Found& a, const Found& b) {
          const bool less = beats<Order>(a.value, b.value), more = beats<Order>(b.value, a.value);
          return more || (!less && b.at < a.at) ? b : a;
        });
    if (team.rank() != 0) return;
    values[slice] = found.value;
    if (indices) indices[slice] = found.at;
  }
};

/// The place that a scan comes to after `k` others.
NOTAPE_HD inline int64_t place_of(int64_t k, int64_t size, ScanFrom from) {
  return from == ScanFrom::First ? k : size - 1 - k;
}

template <typename T>
struct Cumsum {
  const T* self;
  Accumulated<T>* result;
  Slices slices;
  ScanFrom from;

  template <typename Team>
  NOTAPE_HD void operator()(int64_t slice, const Team& team) const {
    using Sum = Accumulator<T>;
    const int64_t start = slices.start(slice), size = slices.size, step = slices.inner;
    scan(
        team, size, Sum(0),
        [&](int64_t k) { return static_cast<Sum>(self[start + place_of(k, size, from) * step]); },
        [](Sum a, Sum b) { return a + b; },
        [&](int64_t k, Sum sum) {
          result[start + place_of(k, size, from) * step] = static_cast<Accumulated<T>>(sum);
        });
  }
};

/// By one thread: products of coefficients taken together could leave the range of numbers where
/// the running value does not.
template <typename T>
struct LinearScan {
  const T *coefficients, *terms;
  T* result;
  Slices slices;
  ScanFrom from;

  NOTAPE_HD void operator()(int64_t slice, const LoneThread&) const {
    const int64_t size = slices.size, step = slices.inner, start = slices.start(slice);
    const int64_t outer = slice / step, first = outer * (size - 1) * step + slice % step;
    T value = 0;
    for (int64_t k = 0; k < size; ++k) {
      const int64_t i = place_of(k, size, from);
      const int64_t between = from == ScanFrom::First ? i - 1 : i;
      value = k == 0 ? terms[start + i * step]
                     : terms[start + i * step] + coefficients[first + between * step] * value;
      result[start + i * step] = value;
    }
  }
};

/// By one thread, for the same reason. `before` is memory for a double for each element.
template <typename T>
struct ProductsOfOthers {
  const T* self;
  double* before;
  T* result;
  Slices slices;

  NOTAPE_HD void operator()(int64_t slice, const LoneThread&) const {
    const int64_t step = slices.inner, start = slices.start(slice);
    double product = 1;
    for (int64_t i = 0; i < slices.size; ++i) {
      before[start + i * step] = product;
      product *= static_cast<double>(self[start + i * step]);
    }
    product = 1;
    for (int64_t i = slices.size; i-- > 0;) {
      result[start + i * step] = static_cast<T>(before[start + i * step] * product);
      product *= static_cast<double>(self[start + i * step]);
    }
  }
};

}  // namespace notape::cuda
