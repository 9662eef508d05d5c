#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using testing::MicroTrace;
using testing::shown;

/// Ten steps of 1,000 ns: an op [0, 500), in it a call [100, 200); a range "forward" around. In
/// step 7 the op takes 900 more, and a call of cudaFree 300.
MicroTrace one_slow_step(std::size_t steps = 10) {
  MicroTrace trace;
  for (int64_t i = 0; i < static_cast<int64_t>(steps); ++i) {
    const int64_t start = 10'000 * i, more = i == 7 ? 900 : 0;
    trace.step(i, start, 1'000 + more + (i == 7 ? 300 : 0))
        .annotation("forward", start, 600 + more)
        .op("aten::mul", start, 500 + more)
        .call("cudaEventRecord", start + 100, 100);
    if (i == 7) trace.call("cudaFree", start + 1'500, 300);
  }
  return trace;
}

std::vector<std::string> row(const Table& table, std::size_t place) {
  std::vector<std::string> cells;
  for (const Value& value : table.rows.at(place)) cells.push_back(value.shown());
  return cells;
}

TEST(Steps, TheSlowestComesFirstWithWhatTookLonger) {
  const TraceModel model = one_slow_step().model();
  const Report report = steps(Scope(model, {}));
  EXPECT_EQ(shown(report, "steps.count"), "10");
  EXPECT_EQ(shown(report, "steps.time.median"), "1.000");
  EXPECT_EQ(shown(report, "steps.time.max"), "2.200");
  EXPECT_EQ(shown(report, "steps.slowest"), "7");
  EXPECT_EQ(shown(report, "steps.outliers"), "1");
  EXPECT_EQ(report["steps.level.from"].reason, "fewer than 24 steps");
  EXPECT_THAT(row(report.table("slowest steps"), 0),
              ElementsAre("ProfilerStep#7", "70.000", "2.200", "2.2000", "yes", "1.300", "0.400",
                          "0.500", "-"))
      << "op: 1,400 less the call inside; calls: 100 and 300; outside: 2,200 less 1,400 and 300";
  const Table& longer = report.table("what took longer");
  EXPECT_THAT(row(longer, 0),
              ElementsAre("ProfilerStep#7", "op self", "aten::mul", "1.300", "0.400", "0.900"));
  EXPECT_THAT(row(longer, 1),
              ElementsAre("ProfilerStep#7", "user range", "forward", "1.500", "0.600", "0.900"));
  EXPECT_THAT(row(longer, 2),
              ElementsAre("ProfilerStep#7", "API call", "cudaFree", "0.300", "0.000", "0.300"))
      << "which no other step has";
}

TEST(Steps, UserRangesAreAddedUp) {
  const TraceModel model = one_slow_step().model();
  const Report report = steps(Scope(model, {}));
  const Table& ranges = report.table("user ranges");
  ASSERT_EQ(ranges.rows.size(), 1u) << "marks of steps are none";
  EXPECT_THAT(row(ranges, 0),
              ElementsAre("forward", "10", "6.900", "0.600", "1.500", "ProfilerStep#7", "70.000"));
}

TEST(Steps, ASelectedStepIsListedBesideTheMediansOfAll) {
  const TraceModel model = one_slow_step().model();
  Selection selection;
  selection.first_step = 3;
  const Report report = steps(Scope(model, selection));
  EXPECT_EQ(shown(report, "steps.time.max"), "2.200");
  EXPECT_EQ(report["steps.time.max"].window.kind, "file") << "of all steps, and says so";
  const Table& table = report.table("slowest steps");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_THAT(row(table, 0)[0], "ProfilerStep#3");
  EXPECT_EQ(row(report.table("user ranges"), 0)[1], "1");
}

TEST(Steps, LeavesOutNoneWithoutSayingSo) {
  const TraceModel model = one_slow_step(30).model();
  const Report ten = steps(Scope(model, {})), all = steps(Scope(model, {}), 30);
  EXPECT_EQ(ten.table("slowest steps").rows.size(), 10u);
  EXPECT_THAT(ten.notes, ElementsAre("the 10 slowest of 30 steps are listed; --top lists more"));
  EXPECT_EQ(all.table("slowest steps").rows.size(), 30u);
  EXPECT_TRUE(all.notes.empty());
}

TEST(Steps, AChangeOfLevelIsSaidAndSplitsThem) {
  MicroTrace trace;
  for (int64_t i = 0; i < 400; ++i) {
    const int64_t start = 100'000 * i, level = i < 150 ? 1'600 : 16'000;
    const int64_t length = level + i % 7 * level / 100 + (i == 20 ? 9'000 : 0);
    trace.step(i, start, length).op(i < 150 ? "fast" : "slow", start, length);
  }
  const TraceModel model = trace.model();
  const Report report = steps(Scope(model, {}));
  EXPECT_EQ(shown(report, "steps.level.from"), "150");
  EXPECT_EQ(shown(report, "steps.level.before"), "1.648");
  EXPECT_EQ(shown(report, "steps.level.after"), "16.480");
  EXPECT_EQ(shown(report, "steps.outliers"), "1") << "among those of its level";
  EXPECT_EQ(row(report.table("slowest steps"), 0)[0], "ProfilerStep#20");
  EXPECT_EQ(report.notes.at(0),
            "from ProfilerStep#150 on steps take 16.480 us (median of 250), before that 1.648 us "
            "(median of 150)");
  const Table& changed = report.table("what changed with the level");
  EXPECT_THAT(row(changed, 0), ElementsAre("op self", "slow", "0.000", "16.480", "16.480"));
  EXPECT_THAT(row(changed, 1), ElementsAre("op self", "fast", "1.648", "0.000", "-1.648"));
}

TEST(Steps, WhatTheFileHasNotIsNothing) {
  const TraceModel none = MicroTrace().op("a", 0, 5).model();
  const Report report = steps(Scope(none, {}));
  EXPECT_TRUE(report["steps.time.median"].value.is_nothing());
  EXPECT_EQ(report["steps.time.median"].reason, "no step marks");
  const TraceModel ops = MicroTrace().step(0, 0, 10).step(1, 10, 10).op("a", 0, 5).model();
  const Report cpu = steps(Scope(ops, {}));
  EXPECT_EQ(row(cpu.table("slowest steps"), 0)[6], "-") << "no API calls";
  EXPECT_EQ(row(cpu.table("slowest steps"), 0)[8], "-") << "no GPU";
}

}  // namespace
}  // namespace notape::trace
