// Points where a derivative is infinite, comes from a case of its own, vanishes, or is far below
// those of other entries: right rules that were called wrong, and wrong ones that were not.
#include <cmath>
#include <limits>

#include "verify/functions/of_one_test_helper.h"

namespace notape::verify {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// This at 0, and else the slope.
OfOne special(double at_zero, OfOne slope) {
  return [=](double x) { return x == 0 ? at_zero : slope(x); };
}

TEST(SpecialPoints, AnInfiniteSlopeIsRightWhereSlopesGrowWithoutBoundThatWay) {
  const OfOne entropy = [](double x) { return x == 0 ? 0 : -x * std::log(x); };
  const OfOne slope = [](double x) { return -std::log(x) - 1; };
  const std::vector<double> at{0, 0.3, 0.7, 1};
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Report right = check_of_one(entropy, special(kInfinite, slope), at, seed);
    EXPECT_TRUE(right.only("reverse").ok()) << right.text();
    EXPECT_FALSE(is_red(right.verdict())) << right.text();
    const Report opposite = check_of_one(entropy, special(-kInfinite, slope), at, seed);
    EXPECT_TRUE(is_red(opposite.only("reverse").verdict())) << opposite.text();
    EXPECT_THAT(opposite.text(), ::testing::HasSubstr("grow without bound the other way"));
    // What is infinite hides no error of another entry.
    const OfOne off = [=](double x) { return slope(x) - 1e-3; };
    EXPECT_TRUE(is_red(check_of_one(entropy, special(kInfinite, off), at, seed).verdict()));
  }
  const Report power = check_of_one([](double x) { return std::pow(x, 0.9); },
                                    [](double x) { return 0.9 * std::pow(x, -0.1); }, at);
  EXPECT_FALSE(is_red(power.verdict())) << power.text();
  const Report root =
      check_of_one([](double x) { return std::sqrt(x); },
                   special(-kInfinite, [](double x) { return 0.5 / std::sqrt(x); }), at);
  EXPECT_TRUE(is_red(root.only("reverse").verdict())) << root.text();
}

TEST(SpecialPoints, AnInfiniteSlopeIsWrongWhereSlopesSettle) {
  const std::vector<double> at{0, 0.3, 0.7, 1};
  const OfOne kink = [](double x) { return std::abs(x); };
  const OfOne sign = [](double x) { return x > 0 ? 1 : -1; };
  const OfOne flat = [](double x) { return x * std::sqrt(x); };
  const OfOne flat_slope = [](double x) { return 1.5 * std::sqrt(x); };
  for (const Report& report : {check_of_one(kink, special(kInfinite, sign), at),
                               check_of_one(flat, special(kInfinite, flat_slope), at)}) {
    EXPECT_TRUE(is_red(report.only("reverse").verdict())) << report.text();
    EXPECT_THAT(report.text(), ::testing::HasSubstr("settle"));
  }
}

TEST(SpecialPoints, AWrongSpecialValueIsFoundWhereTheRuleLosesItsDigitsBesideIt) {
  const OfOne f = [](double x) { return x == 0 ? 1 : x / std::expm1(x); };
  const OfOne slope = [](double x) {
    const double e = std::expm1(x);
    return (e - x * std::exp(x)) / (e * e);
  };
  const std::vector<double> at{0, 1, -2, 5};
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    EXPECT_FALSE(is_red(check_of_one(f, special(-0.5, slope), at, seed).verdict()));
    EXPECT_TRUE(is_red(check_of_one(f, special(0, slope), at, seed).verdict()));
  }
}

TEST(SpecialPoints, AStandardisationIsDecidedWhateverTheSeed) {
  const auto standardise = [](const Tensor& x) {
    const Tensor centred = x - x.mean();
    return centred / sqrt((centred * centred).mean() + 1e-5);
  };
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Report report =
        check(standardise, {leaf({1, 2, 3, 4.5}, {4})}, {.order = 1, .seed = seed});
    EXPECT_TRUE(report.ok()) << report.text();
  }
}

TEST(SpecialPoints, ASlopeFarBelowThoseOfLongerStepsIsSaidToCountAsZero) {
  const OfOne bump = [](double x) { return std::abs(x) < 1 ? std::exp(-1 / (1 - x * x)) : 0; };
  const OfOne slope = [=](double x) {
    return std::abs(x) < 1 ? -2 * x / ((1 - x * x) * (1 - x * x)) * bump(x) : 0;
  };
  const Report report = check_of_one(bump, slope, {0.4, 0.99});
  EXPECT_THAT(report.text(), ::testing::HasSubstr("near zero  reverse: 1 of 2 entries"));
}

TEST(SpecialPoints, AStationaryPointIsJudgedInForwardModeByTheSlopesAround) {
  const double e = std::exp(1.0);
  const Rules rules{
      [=](const Tensor& x) { return exp(x) - e * x; },
      [=](const Tensor& x, const Tensor& grad) { return grad * (exp(x) - e); },
      [=](const Tensor& x, const Tensor& tangent) { return tangent * (e * (exp(x - 1) - 1)); }};
  const Report report = check_rules(rules, leaf({1 + 0x1p-50}, {1}), {.order = 1});
  EXPECT_TRUE(report.only("forward-mode").ok()) << report.text();
}

TEST(SpecialPoints, ADeclaredKinkStatesWhatItLetsPass) {
  // Curvature moves the slopes of both sides as steps fall; what lies in that range is not seen.
  const Report report = check_of_one(
      [](double x) { return std::abs(x) * std::exp(x); },
      special(0.5, [](double x) { return (x > 0 ? 1 : -1) * (1 + x) * std::exp(x); }), {0});
  EXPECT_EQ(report.only("reverse").verdict(), Verdict::Kink) << report.text();
  EXPECT_GT(report.only("reverse").findings.front().detectable, 0);
}

}  // namespace
}  // namespace notape::verify
