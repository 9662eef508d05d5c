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
