// Sums of e^(x - m) for m >= x, the heart of softmax, log_softmax and logsumexp, on the CPU and on
// GPUs.
#pragma once
#include <algorithm>
#include <bit>
#include <limits>

#include "ops/core/device_function.h"
#include "ops/reduce/row.h"
#include "ops/reduce/team.h"

namespace notape {

/// e^x for x <= 0 or NaN, within one ulp: 2^n e^r with |r| <= log(2) / 2. Without branches, calls
/// or floating comparisons, so that loops over it are compiled to vector instructions.
NOTAPE_HD inline float exp_below_zero(float x) {
  constexpr float kRounder = 0x1.8p23f;  // adding it rounds to a whole number
  constexpr float kLogTwoHigh = 0x1.62e4p-1f, kLogTwoLow = 0x1.7f7d1cp-20f;
  // Bits of numbers that are not positive are ordered by magnitude. e^-104 rounds to 0.
  constexpr auto kLowest = std::bit_cast<uint32_t>(-104.0f);
  const auto bits = std::bit_cast<uint32_t>(x);
  const float bounded = std::bit_cast<float>(bits < kLowest ? bits : kLowest);
  const float shifted = bounded * 0x1.715476p0f + kRounder;
  const float whole = shifted - kRounder;
  const float r = bounded - whole * kLogTwoHigh - whole * kLogTwoLow;
  const float series =
      ((((1.9875691500e-4f * r + 1.3981999507e-3f) * r + 8.3334519073e-3f) * r + 4.1665795894e-2f) *
           r +
       1.6666665459e-1f) *
          r +
      5.0000001201e-1f;
  const float e_to_r = series * (r * r) + r + 1.0f;
  // Two factors, because 2^n alone may be less than the smallest normal number.
  const int32_t n = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kRounder);
  const int32_t half = n >> 1;
  const float first = std::bit_cast<float>(static_cast<uint32_t>(half + 127) << 23);
  const float second = std::bit_cast<float>(static_cast<uint32_t>(n - half + 127) << 23);
  const uint32_t all_if_nan = (bits & 0x7fffffff) > 0x7f800000 ? 0xffffffff : 0;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(e_to_r * first * second) | all_if_nan);
}
NOTAPE_HD inline double exp_below_zero(double x) { return math::exp(x); }

/// The largest element, -inf if there is none. NaN is passed over: it shows in the sum.
template <typename SomeRow>
NOTAPE_HD auto largest(const SomeRow& row) {
  using T = typename SomeRow::Element;
  return row.fold(
      -std::numeric_limits<T>::infinity(), [&row](int64_t i) { return row[i]; },
      [](T a, T b) { return b > a ? b : a; });
}

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
template <typename T, typename Store>
ExponentialSum sum_of_exponentials(const Row<T>& row, T maximum, const Store& store) {
  constexpr int64_t kBlock = 256;
  T block[kBlock];
  ExponentialSum sum;
  for (int64_t start = 0; start < row.size(); start += kBlock) {
    const int64_t size = std::min(kBlock, row.size() - start);
    for (int64_t i = 0; i < size; ++i) {
      const T difference = row[start + i] - maximum;
      block[i] = exp_below_zero(difference);
      store(start + i, difference, block[i]);
    }
    sum.others +=
        sum_lanes<double>(size, [&block](int64_t i) { return block[i] == T(1) ? T(0) : block[i]; });
    sum.ones +=
        sum_lanes<double>(size, [&block](int64_t i) { return block[i] == T(1) ? T(1) : T(0); });
  }
  return sum;
}
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
