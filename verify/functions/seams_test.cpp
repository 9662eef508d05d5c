// Seams: places where one formula takes over from another, or a rule has a case for one point, in
// both types.
#include <algorithm>
#include <cmath>
#include <limits>

#include "verify/functions/of_one_test_helper.h"

namespace notape::verify {
namespace {

/// The slope, but times a factor at one point.
OfOne off_at(double point, double factor, const OfOne& slope) {
  return [=](double x) { return slope(x) * (x == point ? factor : 1); };
}

void expect_right(const Report& report) { EXPECT_TRUE(report.ok()) << report.text(); }
void expect_wrong(const Report& report) {
  EXPECT_TRUE(is_red(report.only("reverse").verdict())) << report.text();
}

TEST(Seams, AStepBetweenFormulasHidesNoWrongSlope) {
  const OfOne f = [](double x) {
    return std::abs(x) <= 1e-3 ? x - x * x / 2 + x * x * x / 3 : std::log(1 + x);
  };
  const OfOne slope = [](double x) { return std::abs(x) <= 1e-3 ? 1 - x + x * x : 1 / (1 + x); };
  for (const std::vector<double>& at : {std::vector<double>{1e-3, 0.2, 0.7}, {1e-3, 0.2}, {1e-3}})
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      expect_right(check_of_one(f, slope, at, seed));
      for (const double factor : {11.0, 0.0, -1.0})
        expect_wrong(check_of_one(f, off_at(1e-3, factor, slope), at, seed));
    }
}

TEST(Seams, AStepMadeByARecurrenceHidesNoSmallError) {
  const auto shifted = [](double& x, const std::function<double(double)>& term) {
    double sum = 0;
    for (; x < 6; x += 1) sum += term(x);
    return sum;
  };
  const OfOne digamma = [=](double x) {
    const double sum = shifted(x, [](double y) { return -1 / y; }), f = 1 / (x * x);
    return sum + std::log(x) - 0.5 / x -
           f * (1. / 12 - f * (1. / 120 - f * (1. / 252 - f * (1. / 240 - f / 132))));
  };
  const OfOne trigamma = [=](double x) {
    const double sum = shifted(x, [](double y) { return 1 / (y * y); }), f = 1 / (x * x);
    return sum + 1 / x + f / 2 +
           f / x * (1. / 6 - f * (1. / 30 - f * (1. / 42 - f * (1. / 30 - f * 5. / 66))));
  };
  for (uint64_t seed = 1; seed <= 2; ++seed)
    for (const double point : {1.0, 3.0}) {
      expect_right(check_of_one(digamma, trigamma, {point, 0.3}, seed));
      for (const double factor : {11.0, 0.0, 1 + 1e-6})
        expect_wrong(check_of_one(digamma, off_at(point, factor, trigamma), {point, 0.3}, seed));
    }
}

TEST(Seams, SlopesThatFloat32HasNoNumberForAreRightOnTheirKink) {
  const auto leaky = [](double below, double above) {
    return std::pair<OfOne, OfOne>{[=](double x) { return x > 0 ? above * x : below * x; },
                                   [=](double x) { return x > 0 ? above : below; }};
  };
  for (const auto& [f, slope] : {leaky(0.01, 1), leaky(-0.7, 0.3), leaky(-1.0 / 7, 1.0 / 7)})
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const Report right = check_of_one(f, slope, {0, 1, -2}, seed, kFloat32);
      EXPECT_EQ(right.verdict(), Verdict::Kink) << right.text();
      const double steeper = 1.001 * std::max(slope(-1), slope(1));
      const auto outside = [&, slope = slope](double x) { return x == 0 ? steeper : slope(x); };
      expect_wrong(check_of_one(f, outside, {0, 1, -2}, seed, kFloat32));
    }
}

TEST(Seams, ARuleThatIsWrongAtOnePointIsFoundInFloat32Too) {
  const OfOne tanh = [](double x) { return std::tanh(x); };
  const OfOne slope = [](double x) { return 1 - std::tanh(x) * std::tanh(x); };
  const OfOne square = [](double x) { return x * x; };
  const OfOne twice = [](double x) { return 2 * x; };
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    expect_right(check_of_one(tanh, slope, {0, 1, -2}, seed, kFloat32));
    expect_wrong(check_of_one(tanh, off_at(0, 0, slope), {0, 1, -2}, seed, kFloat32));
    expect_wrong(check_of_one(square, off_at(1, 3.5, twice), {1, 0.3}, seed, kFloat32));
  }
}

TEST(Seams, AnInfiniteSlopeIsNotBelievedWhereSlopesGrowLessAndLess) {
  const auto claimed = [](const OfOne& slope) {
    return [=](double x) { return x == 0 ? std::numeric_limits<double>::infinity() : slope(x); };
  };
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Report power =
        check_of_one([](double x) { return x * (1 - std::pow(x, 0.1)); },
                     claimed([](double x) { return 1 - 1.1 * std::pow(x, 0.1); }), {0, 0.5}, seed);
    EXPECT_FALSE(power.only("reverse").ok()) << power.text();
    const Report logarithm = check_of_one(
        [](double x) { return x == 0 ? 0 : x * (1 + 0.1 / std::log(x)); }, claimed([](double x) {
          const double log = std::log(x);
          return 1 + 0.1 / log - 0.1 / (log * log);
        }),
        {0, 0.5}, seed);
    EXPECT_FALSE(logarithm.only("reverse").ok()) << logarithm.text();
  }
}

TEST(Seams, AStationaryPointIsDecidedInFloat32Too) {
  const auto distance = [](const Tensor& a, const Tensor& b) {
    return (0.5 * (a - b) * (a - b)).sum();
  };
  const std::vector<double> same{0.3, -1.2, 2};
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Report report = check(distance, {leaf(same, {3}, kFloat32), leaf(same, {3}, kFloat32)},
                                {.order = 1, .seed = seed});
    EXPECT_TRUE(report.ok()) << report.text();
  }
}

}  // namespace
}  // namespace notape::verify
