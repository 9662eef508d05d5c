// Rounding modes: what they show of a function's inner roundings, and that they are put back.
#include "verify/numeric/rounding_modes.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "autograd/tensor/factories.h"
#include "ops/ops.h"
#include "ops/parallel.h"
#include "verify/generate/layout.h"
#include "verify/numeric/noise_table.h"

namespace notape::verify {
namespace {

/// The only entry's spread.
double spread_of(double (*f)(double), double at) {
  volatile double x = at;  // or the compiler computes it beforehand
  const auto entries = [f, &x] { return Numbers{f(x)}; };
  return spread_over_modes(entries, entries()).at(0);
}

TEST(RoundingModes, AreReachedOnTheProcessorAndPutBack) {
  EXPECT_TRUE(modes_reach(Device("cpu")));
  const int threads = get_num_threads();
  set_num_threads(3);
  {
    const RoundingMode up(FE_UPWARD);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    EXPECT_EQ(get_num_threads(), 1);
  }
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(get_num_threads(), 3);
  EXPECT_EQ(spread_over_modes([]() -> Numbers { throw ValueError("outside"); }, {1}).size(), 0u);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(get_num_threads(), 3);
  set_num_threads(threads);
}

TEST(RoundingModes, ShowWhatAPlateauHides) {
  // Neighbours of 40 and of -6.1 give the same 1 + exp and nearly the same 1 + tanh.
  EXPECT_GE(spread_of([](double x) { return 1 / (1 + std::exp(-x)); }, 40), 0x1p-53);
  EXPECT_GE(spread_of([](double x) { return x * (1 + std::tanh(x)); }, -16), 0x1p-50);
  EXPECT_GE(spread_of([](double x) { return double(std::exp(float(x))); }, 1.1), 1e-8);
  EXPECT_EQ(spread_of([](double x) { return x > 0 ? x : 0; }, -3), 0);
  EXPECT_EQ(spread_of([](double x) { return 2 * x; }, 0.3), 0);
}

TEST(RoundingModes, WhatIsNoNumberInAnotherModeIsInfinitelyFar) {
  // arccos of what rounds to more than 1 upward
  volatile double third = 1.0 / 3, nine = 9;
  const auto entries = [&] { return Numbers{std::acos(third * nine / 3), std::nan(""), 2}; };
  const Numbers spread = spread_over_modes(entries, entries());
  EXPECT_TRUE(spread[0] > 0);
  EXPECT_EQ(spread[1], 0);
  EXPECT_EQ(spread[2], 0);
}

TEST(RoundingModes, ReachWhatOpenBlasComputes) {
  // A worker thread of its would round to nearest: half of the rows would stand still.
  constexpr int64_t kSize = 512;
  const Tensor a = sin(arange(kSize * kSize).to(kFloat64) * 0.37).reshape({kSize, kSize});
  const auto product = [&] { return numbers_of(mm(a, a)); };
  const Numbers nearest = product();
  const auto libraries = libraries_with_threads();
  for (const LibraryThreads& one : libraries) one.set(4);
  const Numbers spread = spread_over_modes(product, nearest);
  std::size_t still = 0;
  for (const double one : spread) still += one == 0;
  EXPECT_LT(still, spread.size() / 100);
  for (const LibraryThreads& one : libraries) {
    EXPECT_EQ(one.count(), 4);
    one.set(1);
  }
  {
    const RoundingMode up(FE_UPWARD);
    for (const LibraryThreads& one : libraries) EXPECT_EQ(one.count(), 1);
  }
}

TEST(NoiseTable, AWindowOfEqualValuesIsNotSilence) {
  const auto stairs = [](Wide x) {
    return Wide(std::floor(static_cast<double>(x) * 0x1p20) * 0x1p-20);
  };
  const TableNoise fine = table_noise(stairs, 0, 30, 1);
  EXPECT_FALSE(fine.resolved);
  const TableNoise coarse = table_noise([&](Wide x) { return stairs(x * 1.37); }, 0, 18, 1);
  EXPECT_TRUE(coarse.resolved);
  EXPECT_GT(coarse.noise, 0x1p-24);
  EXPECT_LT(coarse.noise, 0x1p-19);
}

}  // namespace
}  // namespace notape::verify
