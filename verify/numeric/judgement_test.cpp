// The judgement's false alarms and misses, on probes with right and with wrong derivatives.
#include "verify/numeric/judgement.h"

#include <gtest/gtest.h>

#include "verify/numeric/testing/probes.h"

namespace notape::verify {
namespace {

/// How many probes fail with a derivative wrong by that factor; every other one must have said
/// that it could not see as much.
template <typename Judge>
int detected(double wrong_by, const Judge& judge_probe) {
  int found = 0;
  for (const Probe& probe : smooth_probes()) {
    const Judgement result = judge_probe(probe, Claim{probe.slope() * (1 + wrong_by)});
    if (result.verdict == Verdict::Fail)
      ++found;
    else
      EXPECT_GT(result.detectable_relative, wrong_by)
          << probe.name << ": " << name_of(result.verdict) << " " << result.reason;
  }
  return found;
}

Judgement by_double(const Probe& probe, const Claim& claim) { return judge(probe.path(), claim); }
Judgement by_all(const Probe& probe, const Claim& claim) {
  return judge(probe.path(), claim, {.wide = probe.wide_path()});
}

TEST(Judgement, RaisesNoAlarmOnARightDerivative) {
  ASSERT_EQ(smooth_probes().size(), 21u);
  for (const Probe& probe : smooth_probes()) {
    const Judgement result = by_double(probe, Claim{probe.slope()});
    EXPECT_TRUE(result.verdict == Verdict::Pass || result.verdict == Verdict::Unresolved)
        << probe.name << ": " << name_of(result.verdict) << " " << result.reason;
    EXPECT_LE(std::abs(result.expected - probe.slope()),
              result.error + 1e-15 * std::abs(probe.slope()))
        << probe.name << " is off by more than it says";
  }
}

TEST(Judgement, InDoubleSeesErrorsDownToWhatItStates) {
  EXPECT_EQ(detected(1e-4, by_double), 21);
  EXPECT_GE(detected(1e-6, by_double), 19);
  EXPECT_GE(detected(1e-9, by_double), 18);
  EXPECT_GE(detected(1e-10, by_double), 16);
  EXPECT_GE(detected(1e-11, by_double), 12);
}

TEST(Judgement, WithTheWideLegSeesErrorsOfOnePartInTenToTheTwelfthEverywhere) {
  for (const Probe& probe : smooth_probes())
    EXPECT_EQ(by_all(probe, Claim{probe.slope()}).verdict, Verdict::Pass) << probe.name;
  // A PASS of the double ladder stands where it meets its gate of 1e-8.
  const auto wide = [](const Probe& probe, const Claim& claim) {
    return judge(climb(probe.wide_path()), claim, kWideGate);
  };
  for (double wrong_by : {1e-4, 1e-8, 1e-12}) EXPECT_EQ(detected(wrong_by, wide), 21) << wrong_by;
}

/// By the short ladder alone.
bool passes_quickly(const Probe& probe, const Claim& claim) {
  const Ladder quick = climb_quickly(probe.path());
  const Judgement result = judge(quick, claim, kDoubleGate);
  const bool passes = result.verdict == Verdict::Pass && slopes_meet(quick.samples);
  if (passes && claim.derivative != probe.slope()) {
    EXPECT_GT(result.detectable, std::abs(claim.derivative - probe.slope())) << probe.name;
  }
  return passes;
}

TEST(QuickLadder, PassesNoErrorThatItStatesToSee) {
  int right = 0;
  for (const Probe& probe : smooth_probes()) {
    right += passes_quickly(probe, Claim{probe.slope()});
    for (double wrong_by : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12})
      passes_quickly(probe, Claim{probe.slope() * (1 + wrong_by)});
    EXPECT_FALSE(passes_quickly(probe, Claim{probe.slope() * (1 + 1e-6)})) << probe.name;
  }
  EXPECT_GE(right, 10);  // it is worth its while even on probes made to be hard
}

TEST(QuickLadder, NeverPassesAKinkAJumpOrACusp) {
  for (const auto& [probe, shape, below, above] : singular_probes())
    for (const double claimed : {below, above, (below + above) / 2, 0.0})
      EXPECT_FALSE(passes_quickly(probe, Claim{claimed, 1})) << probe.name << " " << claimed;
}

TEST(Judgement, ItsStatedPowerIsNeitherTooLargeNorTooSmall) {
  for (const Probe& probe : smooth_probes()) {
    const auto judge_off_by = [&](double error) {
      return by_all(probe, Claim{probe.slope() + error, std::abs(probe.slope())});
    };
    const Judgement right = judge_off_by(0);
    for (const double sign : {1.0, -1.0}) {
      EXPECT_NE(judge_off_by(sign * right.detectable / 4).verdict, Verdict::Fail) << probe.name;
      EXPECT_EQ(judge_off_by(sign * right.detectable * 2).verdict, Verdict::Fail) << probe.name;
      EXPECT_EQ(judge_off_by(sign * right.detectable * 8).verdict, Verdict::Fail) << probe.name;
    }
  }
}

TEST(Judgement, ATrueZeroPassesAndASmallSlopeIsNoZero) {
  const auto at_zero = [](auto f) { return line(f, 0, 1); };
  const DoublePath paths[] = {
      at_zero([](double x) { return x * x; }), at_zero([](double x) { return std::cos(x) - 1; }),
      at_zero([](double x) { return std::abs(x) * std::sqrt(std::abs(x)); }),
      at_zero([](double) { return 7.0; })};
  for (const DoublePath& path : paths) {
    EXPECT_EQ(judge(path, {.derivative = 0}).verdict, Verdict::Pass) << &path - paths;
    EXPECT_NE(judge(path, {.derivative = 1e-3}).verdict, Verdict::Pass) << &path - paths;
  }
  const DoublePath slow = line([](double x) { return 1e-7 * x; }, 1, 1);
  EXPECT_EQ(judge(slow, {.derivative = 1e-7}).verdict, Verdict::Pass);
  EXPECT_EQ(judge(slow, {.derivative = 0}).verdict, Verdict::Fail);
}

TEST(Judgement, AtAKinkOnlyTheLeastNormPasses) {
  for (const auto& [probe, shape, below, above] : singular_probes()) {
    if (shape != LocalShape::Kink) continue;
    const double middle = static_cast<double>(least_norm(Wide(below), Wide(above)));
    EXPECT_EQ(by_double(probe, {.derivative = middle}).verdict, Verdict::Kink) << probe.name;
    for (double other : {below, above, 0.5 * (below + above), 3.0})
      if (other != middle) {
        EXPECT_EQ(by_double(probe, {.derivative = other}).verdict, Verdict::Fail)
            << probe.name << " with " << other;
      }
  }
}

TEST(Judgement, JumpsAndUnboundedSlopesMustBeDeclaredAndAsDeclared) {
  for (const auto& [probe, shape, below, above] : singular_probes()) {
    if (shape == LocalShape::Kink) continue;
    const Verdict fine = shape == LocalShape::Jump ? Verdict::Jump : Verdict::Unbounded;
    const double value = shape == LocalShape::Jump ? 0 : HUGE_VAL;
    EXPECT_EQ(by_double(probe, {.derivative = value, .declared = value}).verdict, fine)
        << probe.name;
    EXPECT_EQ(by_double(probe, {.derivative = 5, .declared = value}).verdict, Verdict::Fail)
        << probe.name;
    EXPECT_EQ(by_double(probe, {.derivative = value}).verdict, Verdict::Fail) << probe.name;
  }
}

TEST(Judgement, OutsideTheDomainThereIsNoSlope) {
  const DoublePath path = line([](double x) { return std::sqrt(x); }, -1, 0.5);
  EXPECT_EQ(judge(path, {.derivative = 0}).verdict, Verdict::Nonfinite);
  const DoublePath inside = line([](double x) { return std::sqrt(x); }, 1, 0.5);
  EXPECT_EQ(judge(inside, {.derivative = std::nan("")}).verdict, Verdict::Nonfinite);
}

TEST(ComplexStep, HasAlmostNoErrorAndSettlesWhatTheDoubleLadderCannot) {
  const auto cancelling = [](auto x) { return (decltype(x)(1) - std::cos(x)) / (x * x); };
  const double x = without_last_bit(0.25), u = 0.25;
  const ComplexPath path = [&](std::complex<double> t) { return cancelling(x + t * u); };
  const double slope = u * (x * std::sin(x) - 2 * (1 - std::cos(x))) / (x * x * x);
  EXPECT_NEAR(complex_step(path).value, slope, 1e-14);
  const DoublePath shifted = line([](double at) { return std::exp(at) + 1e8; }, 1, 1);
  const ComplexPath shifted_complex = [](std::complex<double> t) {
    return std::exp(1.0 + t) + 1e8;
  };
  EXPECT_EQ(judge(shifted, {.derivative = M_E}).verdict, Verdict::Unresolved);
  const Judgement settled = judge(shifted, {.derivative = M_E}, {.complex = shifted_complex});
  EXPECT_EQ(settled.verdict, Verdict::Pass);
  EXPECT_EQ(settled.leg, "complex");
  EXPECT_EQ(judge(shifted, {.derivative = M_E * (1 + 1e-12)}, {.complex = shifted_complex}).verdict,
            Verdict::Fail);
}

}  // namespace
}  // namespace notape::verify
