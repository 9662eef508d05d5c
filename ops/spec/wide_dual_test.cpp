// Slopes of dual numbers against central differences in 113 bits, and what a trace says about
// branches.
#include <gtest/gtest.h>

#include "ops/elementwise/power.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

using math::BranchTrace;

/// (f(x + h) - f(x - h)) / 2h with the h^2 term removed: some 24 digits at h = 2^-20.
template <typename F>
Wide difference(const F& f, Wide x) {
  const auto quotient = [&](Wide h) { return (f(x + h) - f(x - h)) / (2 * h); };
  const Wide h = 0x1p-20;
  return (4 * quotient(h / 2) - quotient(h)) / 3;
}

/// How far the slope is from the difference, relative to the latter or 1.
template <typename F>
double error_of_slope(const F& f, Wide x) {
  const WideDual y = f(WideDual(x, 1));
  const Wide expected = difference(f, x);
  EXPECT_TRUE(y.value == f(x));
  return static_cast<double>(math::abs(y.slope - expected) / (1 + math::abs(expected)));
}

TEST(WideDual, FunctionsHaveTheirDerivatives) {
  const auto same = [](const auto& f, std::initializer_list<double> points) {
    for (double x : points) EXPECT_LT(error_of_slope(f, Wide(x)), 1e-22) << "at " << x;
  };
  same([](auto x) { return math::exp(x); }, {-3, 0, 2.5});
  same([](auto x) { return math::log(x); }, {0.25, 1, 7});
  same([](auto x) { return math::log1p(x); }, {-0.5, 0.001, 7});
  same([](auto x) { return math::sqrt(x); }, {0.25, 1, 7});
  same([](auto x) { return math::sin(x); }, {-3, 0, 2.5});
  same([](auto x) { return math::cos(x); }, {-3, 0, 2.5});
  same([](auto x) { return math::tanh(x); }, {-3, 0, 2.5});
  same([](auto x) { return math::erf(x); }, {-3, 0, 2.5});
  same([](auto x) { return math::abs(x); }, {-3, 2.5});
  same([]<typename T>(T x) { return math::pow(x, T(2.25)); }, {0.25, 1, 7});
  same([]<typename T>(T x) { return math::pow(T(2.25), x); }, {-3, 0, 2.5});
  same([]<typename T>(T x) { return math::pow(x, x); }, {0.25, 1, 7});
}

TEST(WideDual, ArithmeticHasItsDerivatives) {
  const auto f = []<typename T>(T x) {
    T y = 3 * x - x * x / (x + 2) + 1;
    y += x;
    y *= x;
    y -= 1 / x;
    y /= 2 - x;
    return -y;
  };
  for (double x : {-1.5, 0.25, 5.0}) EXPECT_LT(error_of_slope(f, Wide(x)), 1e-20) << "at " << x;
}

TEST(WideDual, WhatDoesNotMoveHasNoSlopeEvenWhereTheDerivativeIsInfinite) {
  EXPECT_TRUE(math::sqrt(WideDual(0)).slope == 0);
  EXPECT_TRUE(math::pow(WideDual(0, 1), WideDual(2)).slope == 0);
  EXPECT_TRUE(math::pow(WideDual(0), WideDual(2, 1)).slope == 0);
  EXPECT_TRUE(math::sqrt(WideDual(0, 1)).slope > 1e300);
}

TEST(BranchTrace, KnowsHowFarTheNextBranchIs) {
  const BranchTrace trace;
  const WideDual y = math::max(WideDual(3, 2), WideDual(1));
  EXPECT_TRUE(y.slope == 2);
  // 3 + 2 t reaches 1 at t = -1.
  EXPECT_TRUE(trace.distance() == 1);
}

TEST(BranchTrace, ATieIsAtDistanceZero) {
  const BranchTrace trace;
  math::max(WideDual(1, 1), WideDual(1));
  EXPECT_TRUE(trace.distance() == 0);
}

TEST(BranchTrace, ANumberComparedWithItselfIsNoBranch) {
  const BranchTrace trace;
  const WideDual x(1, 1);
  EXPECT_FALSE(x != x);
  EXPECT_TRUE(trace.distance() > 1e300);
}

TEST(BranchTrace, ATieToFirstOrderIsAtDistanceZero) {
  const WideDual x(0, 1);
  {
    const BranchTrace trace;
    EXPECT_FALSE(x * x > WideDual(0));
    EXPECT_TRUE(trace.distance() == 0);
  }
  {
    const BranchTrace trace;
    math::sqrt(x * x);
    EXPECT_TRUE(trace.distance() == 0);
  }
  const BranchTrace trace;
  math::sqrt(WideDual(0));  // a constant
  EXPECT_TRUE(trace.distance() > 1e300);
}

TEST(BranchTrace, SeesTheSpecialCasesOfAPower) {
  const BranchTrace trace;
  // The branch for an exponent of 2 forgets that the exponent moves; the trace says so.
  math::real_power(WideDual(3), WideDual(2, 1));
  EXPECT_TRUE(trace.distance() == 0);
}

TEST(BranchTrace, RoundingToAWholeNumberIsABranch) {
  const BranchTrace trace;
  EXPECT_EQ(static_cast<int64_t>(WideDual(5)), 5);
  EXPECT_TRUE(trace.distance() > 1e300);  // an index does not move
  EXPECT_EQ(static_cast<int64_t>(WideDual(5.25, 1)), 5);
  EXPECT_TRUE(trace.distance() == 0.25);
}

TEST(BranchTrace, TheLastOneOpenedIsWrittenTo) {
  const BranchTrace outer;
  {
    const BranchTrace inner;
    math::abs(WideDual(1, 1));
    EXPECT_EQ(inner.comparisons().size(), 1u);
  }
  EXPECT_TRUE(outer.comparisons().empty());
  math::abs(WideDual(-1, 1));
  ASSERT_EQ(outer.comparisons().size(), 1u);
  EXPECT_TRUE(outer.comparisons()[0].outcome);
}

TEST(Reference, TakesDualNumbersIfItIsGeneric) {
  const Reference generic = []<typename T>(const PlainList<T>& x) {
    return plain_map([](T a) { return a * a; }, x[0]);
  };
  const Reference plain = [](const WideList& x) { return x[0]; };
  ASSERT_TRUE(generic && generic.has_dual());
  ASSERT_TRUE(plain && !plain.has_dual());
  EXPECT_FALSE(Reference());
  EXPECT_FALSE(Reference(std::function<WideTensor(const WideList&)>()));
  DualTensor x(std::vector<int64_t>{2});
  x.values = {WideDual(3, 1), WideDual(4, 10)};
  const DualTensor y = generic(DualList{x});
  EXPECT_TRUE(y.values[0].slope == 6 && y.values[1].slope == 80);
}

}  // namespace
}  // namespace notape
