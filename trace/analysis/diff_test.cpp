#include "trace/analysis/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/error.h"
#include "trace/analysis/step_samples.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MicroTrace;

/// Ten steps; in step i an op that launches after `first` + i ns.
MicroTrace ten_steps(int64_t first) {
  MicroTrace trace;
  for (int64_t i = 0; i < 10; ++i)
    trace.step(i, 1'000 * i, 900)
        .op("aten::mul", 1'000 * i, 800)
        .launch(1'000 * i + first + i, 20, i + 1)
        .kernel(1'000 * i + 700, 100, i + 1);
  return trace;
}

std::vector<std::string> failed(int64_t a, int64_t b, const char* gate) {
  return diff(ten_steps(a).model(), ten_steps(b).model(), {}, {Gate(gate)}).failed;
}

TEST(Diff, MediansAcrossStepsHaveIntervals) {
  StepSamples samples{"us", {}, ""};
  for (int i = 0; i < 5; ++i) samples.values.push_back(i);
  EXPECT_EQ(samples.median(), 2);
  EXPECT_EQ(samples.lowest(), 0);
  EXPECT_EQ(samples.highest(), 4);
  for (int i = 5; i < 9; ++i) samples.values.push_back(i);
  // binomial(9, 1/2): P(0 or 1) = 10/512 < 2.5 % < P(0 to 2) = 46/512.
  EXPECT_EQ(samples.lowest(), 1);
  EXPECT_EQ(samples.highest(), 7);
  for (int i = 9; i < 100; ++i) samples.values.push_back(i);
  EXPECT_EQ(samples.lowest(), 39) << "the 40th and the 61st of 100, as in tables";
  EXPECT_EQ(samples.highest(), 60);
}

TEST(Diff, SaysWhatChangedAndWhatIsNoise) {
  const DiffResult result = diff(ten_steps(100).model(), ten_steps(102).model(), {}, {});
  for (const auto& row : result.report.table("medians across steps").rows)
    if (row[0].text() == "dispatch.p50") {
      EXPECT_EQ(row[2].count(), 10);
      EXPECT_EQ(row[3].number(), 0.105);
      EXPECT_EQ(row[4].number(), 0.101);
      EXPECT_EQ(row[5].number(), 0.108);
      EXPECT_EQ(row[7].number(), 0.107);
      EXPECT_EQ(row[11].text(), "within noise");
    }
  const Metric& metric = result.report["diff.dispatch.p50"];
  EXPECT_NEAR(metric.value.number(), 2.0 / 105, 1e-12);
  EXPECT_EQ(metric.n, 10u);
  // The interval of B begins above A's median, but not above A's interval.
  const DiffResult little = diff(ten_steps(100).model(), ten_steps(105).model(), {}, {});
  for (const auto& row : little.report.table("medians across steps").rows)
    if (row[0].text() == "dispatch.p50") {
      EXPECT_EQ(row[11].text(), "within noise");
    }
  const DiffResult more = diff(ten_steps(100).model(), ten_steps(200).model(), {}, {});
  for (const auto& row : more.report.table("medians across steps").rows)
    if (row[0].text() == "dispatch.p50") {
      EXPECT_EQ(row[11].text(), "higher");
    }
}

TEST(Diff, GatesHoldUpToTheirBound) {
  EXPECT_THAT(failed(100, 105, "dispatch.p50<=+5%"), IsEmpty());
  EXPECT_THAT(failed(100, 100, "dispatch.p50<=+0%"), IsEmpty()) << "the bound itself is allowed";
  EXPECT_THAT(failed(100, 100, "dispatch.p50>=+0%"), IsEmpty());
  EXPECT_THAT(failed(100, 111, "dispatch.p50<=+5%"),
              ElementsAre(HasSubstr("0.116 us is above 0.110; it was 0.105")));
  EXPECT_THAT(failed(100, 90, "dispatch.p50 <= -9%"), IsEmpty());
  EXPECT_THAT(failed(100, 97, "dispatch.p50<=-9%"), ElementsAre(HasSubstr("is above")));
  EXPECT_THAT(failed(100, 90, "dispatch.p50>=-5%"), ElementsAre(HasSubstr("is below")));
  EXPECT_THAT(failed(100, 150, "dispatch.p50<=+0.06"), IsEmpty());
  EXPECT_THAT(failed(100, 150, "dispatch.p50<=+0.04"), ElementsAre(HasSubstr("is above")));
  EXPECT_THAT(failed(100, 150, "dispatch.p50<=0.2"), IsEmpty());
  EXPECT_THAT(failed(100, 150, "dispatch.p50<=0.1"), ElementsAre(HasSubstr("0.155 us is above")));
}

/// `n` steps of `times`, one after the other, and again.
MicroTrace steps_of(int64_t n, const std::vector<int64_t>& times) {
  MicroTrace trace;
  for (int64_t i = 0; i < n; ++i)
    trace.step(i, 10'000 * i, times[static_cast<std::size_t>(i) % times.size()]);
  return trace;
}

std::vector<std::string> judged(const MicroTrace& a, const MicroTrace& b, const char* gate,
                                GateRule rule) {
  return diff(a.model(), b.model(), {}, {Gate(gate)}, rule).failed;
}

TEST(Diff, AGateThatFailsWithinNoiseSaysSo) {
  const MicroTrace a = steps_of(20, {900, 1'000, 1'100, 1'200});
  const MicroTrace b = steps_of(20, {950, 1'050, 1'250, 1'200});
  EXPECT_THAT(
      judged(a, b, "step.time<=+5%", GateRule::Median),
      ElementsAre("step.time<=+5%: 1.200 us is above 1.155; it was 1.100; within noise: the "
                  "intervals of the medians are 1.000 to 1.100 and 1.050 to 1.200"));
  EXPECT_THAT(judged(a, b, "step.time<=+5%", GateRule::Significant), IsEmpty());
  const DiffResult held =
      diff(a.model(), b.model(), {}, {Gate("step.time<=+5%")}, GateRule::Significant);
  EXPECT_THAT(held.report.notes.back(), HasSubstr("gate holds: step.time<=+5%: 1.200 us is above"))
      << "and why it holds all the same";
}

TEST(Diff, AGateThatNeedsSignificanceFailsWhereItIsThere) {
  const MicroTrace a = steps_of(20, {1'000, 1'010}), b = steps_of(20, {1'100, 1'110});
  for (const GateRule rule : {GateRule::Median, GateRule::Significant})
    EXPECT_THAT(judged(a, b, "step.time<=+5%", rule),
                ElementsAre("step.time<=+5%: 1.110 us is above 1.060; it was 1.010"));
  EXPECT_THAT(judged(b, a, "step.time>=-5%", GateRule::Significant),
              ElementsAre(HasSubstr("is below")));
  EXPECT_THAT(judged(a, a, "step.time<=+5%", GateRule::Significant), IsEmpty());
}

TEST(Diff, NoChangeIsNoExcuseWhereAChangeIsDemanded) {
  const MicroTrace a = steps_of(20, {1'000, 1'010});
  EXPECT_THAT(judged(a, a, "step.time<=-20%", GateRule::Significant),
              ElementsAre(HasSubstr("is above")));
  EXPECT_THAT(judged(a, a, "step.time<=-0.5%", GateRule::Significant), IsEmpty()) << "in the noise";
  EXPECT_THAT(judged(a, a, "step.time<=0.5", GateRule::Significant),
              ElementsAre(HasSubstr("is above")));
  EXPECT_THAT(judged(a, a, "step.time<=1.005", GateRule::Significant), IsEmpty());
}

TEST(Diff, OfTooFewStepsTheMediansDecide) {
  const MicroTrace a = steps_of(3, {1'000}), b = steps_of(3, {1'100});
  EXPECT_THAT(judged(a, b, "step.time<=+5%", GateRule::Significant),
              ElementsAre(HasSubstr("too few steps to tell it from noise")));
}

TEST(Diff, AGateOnAFigureThatATraceHasNotFails) {
  const TraceModel with = ten_steps(100).model(), without = MicroTrace().op("a", 0, 5).model();
  EXPECT_THAT(diff(with, without, {}, {Gate("idle.total<=+5%")}).failed,
              ElementsAre(HasSubstr("no data (no GPU rows)")));
  EXPECT_THAT(diff(without, with, {}, {Gate("idle.total<=+5%")}).failed,
              ElementsAre(HasSubstr("no data")));
  EXPECT_THAT(diff(without, with, {}, {Gate("idle.host_wait<=1e9")}).failed, IsEmpty());
}

TEST(Diff, RefusesGatesThatAreNone) {
  for (const char* text : {"", "dispatch.p50", "<=5%", "dispatch.p50<5%", "dispatch.p50<=",
                           "dispatch.p50<=%", "dispatch.p50<=x", "dispatch.p50<=5x",
                           "dispatch.p50<=nan", "dispatch.p50<=inf%", "dispatch.p50=5"})
    EXPECT_THROW(Gate{text}, ValueError) << text;
  EXPECT_THROW(failed(1, 1, "nonsense<=5%"), ValueError);
}

}  // namespace
}  // namespace notape::trace
