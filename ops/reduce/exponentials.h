// Sums of e^(x - m) for m >= x, the heart of softmax, log_softmax and logsumexp, on the CPU and on
// GPUs.
#pragma once
#include <algorithm>
#include <limits>
#include <type_traits>

#include "ops/core/exp_below_zero.h"
#include "ops/reduce/row.h"
#include "ops/reduce/team.h"
#ifndef __CUDACC__
#include "ops/reduce/wide_floats.h"
#endif

namespace notape {

/// The largest element, -inf if there is none. NaN is passed over: it shows in the sum.
template <typename SomeRow>
NOTAPE_HD auto largest(const SomeRow& row) {
  using T = typename SomeRow::Element;
  return row.fold(
      -std::numeric_limits<T>::infinity(), [&row](int64_t i) { return row[i]; },
      [](T a, T b) { return b > a ? b : a; });
}

#ifndef __CUDACC__
template <typename T>
T largest(const Row<T>& row) {
  constexpr T kLeast = -std::numeric_limits<T>::infinity();
  if constexpr (std::is_same_v<T, float>)
    return extreme_of_floats<Larger>(row.data(), row.size(), kLeast).value;
  else
    return extreme_of_lanes(row.data(), row.size(), kLeast, [](T a, T b) { return a > b; }).value;
}
#endif

/// A sum of exponentials less 1, where 1 is that of the largest: beside it small ones would be
/// lost. Exponentials that are 1 are counted apart from the others.
struct ExponentialSum {
  double others = 0, ones = 0;
  template <typename T>
  NOTAPE_HD void add(T exponential) {
    const bool is_one = exponential == T(1);
    others += is_one ? 0.0 : static_cast<double>(exponential);
    ones += is_one ? 1.0 : 0.0;
  }
  NOTAPE_HD double beside_largest() const { return others + (ones - 1); }
};

/// The sum of e^(row[i] - maximum). Calls store(i, row[i] - maximum, its exponential) for each.
#ifndef __CUDACC__
template <typename T, typename Store>
ExponentialSum sum_of_exponentials(const Row<T>& row, T maximum, const Store& store) {
  constexpr int64_t kBlock = 1024;
  T block[kBlock];
  ExponentialSum sum;
  for (int64_t start = 0; start < row.size(); start += kBlock) {
    const int64_t size = std::min(kBlock, row.size() - start);
    int32_t ones = 0;
    for (int64_t i = 0; i < size; ++i) {
      const T difference = row[start + i] - maximum, exponential = exp_below_zero(difference);
      const bool is_one = exponential == T(1);
      store(start + i, difference, exponential);
      block[i] = is_one ? T(0) : exponential;
      ones += is_one;
    }
    if constexpr (std::is_same_v<T, float>)
      sum.others += sum_of_floats(block, size);
    else
      sum.others += sum_lanes<double>(size, [&block](int64_t i) { return block[i]; });
    sum.ones += ones;
  }
  return sum;
}
#endif
template <typename T, typename Team, typename Store>
NOTAPE_HD ExponentialSum sum_of_exponentials(const SharedRow<T, Team>& row, T maximum,
                                             const Store& store) {
  return row.fold(
      ExponentialSum(),
      [&](int64_t i) {
        const T difference = row[i] - maximum, exponential = exp_below_zero(difference);
        store(i, difference, exponential);
        ExponentialSum one;
        one.add(exponential);
        return one;
      },
      [](const ExponentialSum& a, const ExponentialSum& b) {
        return ExponentialSum{a.others + b.others, a.ones + b.ones};
      });
}

}  // namespace notape
