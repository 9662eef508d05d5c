// Kernels along one dimension, for a team of threads at each slice (ops/reduce/team.h): a block or
// one thread of a GPU, and threads of the CPU in tests.
#pragma once
#include "ops/reduce/accumulator.h"
#include "ops/reduce/extremum_order.h"
#include "ops/reduce/ordering_entry.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/scan_kernels.h"
#include "ops/reduce/softmax_formulas.h"

namespace notape::cuda {

template <typename Formula, typename T>
struct Softmax {
  const T* self;
  T* result;
  Slices slices;

  static constexpr bool kVisitsEach = true;
  int folds() const { return 2; }
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

  static constexpr bool kVisitsEach = true;
  int folds() const { return 1; }
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

  int folds() const { return 1; }
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

/// The elements of a slice in order, by a bitonic network: log2(size)^2 / 2 rounds in which the
/// threads exchange pairs. `entries` is memory for `padded` of them to each slice, the next power
/// of two.
template <typename T, bool kDescending>
struct OrderSlice {
  const T* self;
  T* values;
  int64_t* indices;
  OrderingEntry<T>* entries;
  Slices slices;
  int64_t padded, count;

  template <typename Team>
  NOTAPE_HD void operator()(int64_t slice, const Team& team) const {
    OrderingEntry<T>* const own = entries + slice * padded;
    const int64_t start = slices.start(slice), step = slices.inner;
    for (int64_t i = team.rank(); i < padded; i += team.size())
      own[i] = i < slices.size ? OrderingEntry<T>{self[start + i * step], i}
                               : OrderingEntry<T>{T(0), kBehindAll};
    team.sync();
    for (int64_t sorted = 2; sorted <= padded; sorted *= 2)
      for (int64_t distance = sorted / 2; distance > 0; distance /= 2) {
        for (int64_t pair = team.rank(); pair < padded / 2; pair += team.size()) {
          const int64_t i = pair / distance * 2 * distance + pair % distance;
          const bool is_up = (i & sorted) == 0;
          if (before(own[i + distance], own[i]) == is_up) exchange(own[i], own[i + distance]);
        }
        team.sync();
      }
    const int64_t to = slice / step * count * step + slice % step;
    for (int64_t i = team.rank(); i < count; i += team.size()) {
      values[to + i * step] = own[i].value;
      indices[to + i * step] = own[i].index;
    }
  }

 private:
  static constexpr int64_t kBehindAll = INT64_MAX;

  static NOTAPE_HD bool before(const OrderingEntry<T>& a, const OrderingEntry<T>& b) {
    if (a.index == kBehindAll || b.index == kBehindAll) return a.index < b.index;
    return stands_before<T, kDescending>(a, b);
  }
  /// Member by member: there may be bytes between that nobody has written.
  static NOTAPE_HD void exchange(OrderingEntry<T>& a, OrderingEntry<T>& b) {
    const T value = a.value;
    const int64_t index = a.index;
    a.value = b.value;
    a.index = b.index;
    b.value = value;
    b.index = index;
  }
};

}  // namespace notape::cuda
