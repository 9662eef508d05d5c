// Kinks, jumps and cusps are distinguished, and smooth points beside them left alone.
#include "verify/numeric/local_shape.h"

#include <gtest/gtest.h>

#include "verify/numeric/testing/probes.h"

namespace notape::verify {
namespace {

LocalView view_of(const DoublePath& path, double claimed = 0) {
  return look(climb(path).samples, Wide(claimed));
}

TEST(LocalShape, FourteenKinksJumpsAndCuspsAreRecognised) {
  ASSERT_EQ(singular_probes().size(), 14u);
  for (const auto& [probe, shape, below, above] : singular_probes()) {
    const LocalView view = view_of(probe.path());
    EXPECT_EQ(name_of(view.shape), name_of(shape)) << probe.name;
    if (shape != LocalShape::Kink) continue;
    EXPECT_NEAR(static_cast<double>(view.below), below, 1e-6) << probe.name;
    EXPECT_NEAR(static_cast<double>(view.above), above, 1e-6) << probe.name;
  }
}

TEST(LocalShape, TheSameOnesAreRecognisedIn113Bits) {
  for (const auto& [probe, shape, below, above] : singular_probes())
    EXPECT_EQ(name_of(look(climb(probe.wide_path()).samples, 0).shape), name_of(shape))
        << probe.name;
}

TEST(LocalShape, SmoothProbesAreNoneOfThem) {
  for (const Probe& probe : smooth_probes()) {
    const LocalShape shape = view_of(probe.path(), probe.slope()).shape;
    EXPECT_TRUE(shape == LocalShape::Smooth || shape == LocalShape::Undecided)
        << probe.name << ": " << name_of(shape);
  }
}

TEST(LocalShape, ReluAndAbsBesideTheirKinksAreSmooth) {
  const auto relu = [](double x) { return relu_of(x); };
  const auto magnitude_of = [](double x) { return std::abs(x); };
  for (double distance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9})
    for (double x : {distance, -distance})
      // Steps as small as x, and steps of size 1, most of which reach over the kink.
      for (double u : {power_of_two_below(x), 1.0}) {
        const double place = without_last_bit(x);
        for (const auto& [f, slope] :
             {std::pair<std::function<double(double)>, double>(relu, x > 0 ? 1 : 0),
              {magnitude_of, x > 0 ? 1 : -1}}) {
          const DoublePath path = line(f, place, u);
          const LocalShape shape = view_of(path, slope * u).shape;
          EXPECT_TRUE(shape == LocalShape::Smooth || shape == LocalShape::Undecided)
              << x << ", steps " << u << ": " << name_of(shape);
          const Judgement right = judge(path, {.derivative = slope * u});
          EXPECT_TRUE(right.verdict == Verdict::Pass || right.verdict == Verdict::Unresolved)
              << x << ", steps " << u << ": " << name_of(right.verdict) << right.reason;
          EXPECT_NE(judge(path, {.derivative = 0.5 * u}).verdict, Verdict::Pass);
        }
      }
}

TEST(LocalShape, FloorBesideItsJumpIsConstant) {
  for (double distance : {1e-3, 1e-5, 1e-7})
    for (double x : {1 + distance, 1 - distance}) {
      const DoublePath path = line([](double at) { return std::floor(at); }, x, 1);
      EXPECT_EQ(view_of(path).shape, LocalShape::Smooth) << x;
      EXPECT_EQ(judge(path, {.derivative = 0}).verdict, Verdict::Pass) << x;
      EXPECT_NE(judge(path, {.derivative = 1}).verdict, Verdict::Pass) << x;
    }
}

TEST(LocalShape, PowersBetweenOneAndTwoAreSmooth) {
  for (double p : {1.5, 1.75, 2.0}) {
    const DoublePath path = line([p](double x) { return std::pow(std::abs(x), p); }, 0, 1);
    EXPECT_EQ(view_of(path).shape, LocalShape::Smooth) << p;
  }
}

TEST(LocalShape, StepsOverAKinkNearbyAreLeftOut) {
  // At a distance of 1e-5 the slopes of |x| differ by their full size for h > 1e-5.
  const Samples samples = climb(line([](double x) { return std::abs(x); }, 1e-5, 1)).samples;
  const std::size_t first = first_uncrossed(samples);
  ASSERT_GT(first, 0u);
  ASSERT_LT(first, samples.levels.size());
  const double largest = std::ldexp(1.0, -samples.levels[first].exponent);
  EXPECT_LT(largest, 4e-5);
  EXPECT_GT(largest, 2e-6);
}

TEST(LocalShape, SlopesMeetUnlessThereIsAKinkHoweverMuchCurvatureIsBesideIt) {
  const auto meet = [](std::function<double(double)> f) {
    return slopes_meet(climb_quickly({.at = std::move(f)}).samples);
  };
  EXPECT_TRUE(meet([](double t) { return t * t; }));
  EXPECT_TRUE(meet([](double t) { return std::exp(t); }));
  EXPECT_TRUE(meet([](double t) { return std::sin(3 * t) + 5; }));
  for (double size : {1.0, 1e-2, 1e-4, 1e-6})
    EXPECT_FALSE(meet([=](double t) { return size * std::abs(t) + t * t + t; })) << size;
  EXPECT_FALSE(meet([](double t) { return std::pow(std::abs(t), 1.5); }));
  EXPECT_FALSE(meet([](double t) { return t > 0 ? 1.0 : 0.0; }));
}

}  // namespace
}  // namespace notape::verify
