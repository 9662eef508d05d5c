// The ladder on functions whose derivative and error are known.
#include "verify/numeric/ladder.h"

#include <gtest/gtest.h>
#include <quadmath.h>

#include <cmath>

namespace notape::verify {
namespace {

Sample sample(Wide value) { return {value, magnitude(value) + 1}; }

double off_by(const Slope& slope, Wide truth) {
  return static_cast<double>(magnitude(slope.value - truth));
}

struct LadderProbe {
  const char* name;
  Wide (*f)(Wide);
  Wide slope;
};

const LadderProbe kLadderProbes[] = {
    {"exp(20 (1 + t))", [](Wide t) { return expq(20 * (1 + t)); }, 20 * expq(20)},
    {"sin(300 (1 + t))", [](Wide t) { return sinq(300 * (1 + t)); }, 300 * cosq(300)},
    {"1 / (0.001 (1 + t))", [](Wide t) { return 1000 / (1 + t); }, -1000},
    {"sqrt(1e-8 (1 + t))", [](Wide t) { return sqrtq(Wide(1e-8) * (1 + t)); },
     sqrtq(Wide(1e-8)) / 2},
    {"t + 1e8", [](Wide t) { return t + Wide(1e8); }, 1},
    {"constant", [](Wide) { return Wide(7); }, 0},
    {"t^3", [](Wide t) { return t * t * t; }, 0},
};

TEST(Ladder, ErrorEstimateCoversTheErrorAndIsSmall) {
  for (const LadderProbe& probe : kLadderProbes)
    for (Steps steps : {kQuick, kThorough}) {
      const Slope found = slope([&](Wide t) { return sample(probe.f(t)); }, steps);
      const double size = std::max(1.0, std::abs(static_cast<double>(probe.slope)));
      EXPECT_TRUE(found.finite) << probe.name;
      EXPECT_LE(off_by(found, probe.slope), static_cast<double>(found.error)) << probe.name;
      EXPECT_LE(static_cast<double>(found.error), 1e-15 * size) << probe.name;
    }
}

TEST(Ladder, ErrorEstimateCoversErrorsOfTheFunctionItself) {
  // Values wrong by up to 1e-25, differently at every point, which the magnitude tells.
  constexpr double kWrongBy = 1e-25;
  const Path path = [](Wide t) {
    const Wide hash = sinq(t * Wide(1e30)) * Wide(kWrongBy);
    return Sample{sinq(t) + hash, Wide(kWrongBy / kWideEpsilon)};
  };
  const Slope found = slope(path, kThorough);
  EXPECT_LE(off_by(found, 1), static_cast<double>(found.error));
  EXPECT_LE(static_cast<double>(found.error), 1e-15);
}

TEST(Ladder, AtTheEndOfADomainTheSlopeComesFromInside) {
  for (int side : {1, -1}) {
    const Slope found = slope(
        [=](Wide t) {
          return t * side >= 0 ? sample(expq(2 * t)) : Sample{nanq(""), 1};
        },
        kThorough);
    EXPECT_TRUE(found.finite);
    EXPECT_LE(off_by(found, 2), static_cast<double>(found.error));
    EXPECT_LE(static_cast<double>(found.error), 1e-15);
  }
}

TEST(Ladder, WithoutFiniteValuesThereIsNoSlope) {
  EXPECT_FALSE(slope([](Wide) { return Sample{nanq(""), 1}; }, kThorough).finite);
  EXPECT_FALSE(mixed_slope([](Wide, Wide) { return Sample{nanq(""), 1}; }, kQuickMixed).finite);
}

TEST(Ladder, AnUnboundedSlopeIsNotBelieved) {
  const Slope found = slope(
      [](Wide t) {
        return Sample{t < 0 ? -sqrtq(-t) : sqrtq(t), 1};
      },
      kThorough);
  EXPECT_GT(found.error, magnitude(found.value) / 100);
}

TEST(Ladder, MixedSlopeIsTheSecondDerivative) {
  for (Steps steps : {kQuickMixed, kThoroughMixed}) {
    const Slope found =
        mixed_slope([](Wide s, Wide t) { return sample(sinq(s) * expq(2 * t) + s * s); }, steps);
    EXPECT_TRUE(found.finite);
    EXPECT_LE(off_by(found, 2), static_cast<double>(found.error));
    EXPECT_LE(static_cast<double>(found.error), 1e-12);
  }
}

TEST(Ladder, RungsAreTheEvidence) {
  const Slope found = slope([](Wide t) { return sample(sinq(t)); }, kThorough);
  ASSERT_GE(found.rungs.size(), 30u);
  Wide least = found.rungs[0].error;
  for (const Rung& rung : found.rungs) least = std::min(least, rung.error);
  EXPECT_TRUE(found.error == least);
}

}  // namespace
}  // namespace notape::verify
