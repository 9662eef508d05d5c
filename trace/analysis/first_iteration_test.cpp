#include <gtest/gtest.h>

#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using testing::filling_queue;
using testing::MicroTrace;
using testing::report_of;

TEST(FirstIteration, EachMomentHasOneCauseAndTheRestIsPrinted) {
  MicroTrace trace;
  const int64_t starts[] = {0, 10'000, 11'000, 12'100, 13'000};
  for (int64_t i = 0; i < 4; ++i) {
    trace.step(i, starts[i], starts[i + 1] - starts[i]);
    for (int64_t j = 0; j < 3; ++j)
      trace.launch(starts[i] + 10 * j, 10, 10 * i + j + 1)
          .kernel(starts[i] + 500 + 100 * j, 100, 10 * i + j + 1);
  }
  trace
      .call("cudaMalloc", 1'000, 1'000)  // 1,000
      .call("cudaFree", 1'900, 600)      // 600 first, malloc keeps 900
      .launch(3'000, 1'001, 100)
      .kernel(4'100, 1, 100)  // more than 100 medians of 10
      .launch(5'000, 1'000, 101)
      .kernel(6'100, 1, 101)  // not more
      .call("cudaEventCreate", 7'000, 200)
      .call("cudaDeviceSynchronize", 7'100, 400)  // 300 after the former
      .call("cudaDeviceSynchronize", 10'500, 50)
      .call("cudaDeviceSynchronize", 11'500, 50)
      .call("cudaDeviceSynchronize", 12'500, 70)
      .annotation("enumerate(DataLoader)#x", 8'000, 80);
  const Report report = report_of(first_iteration, trace);
  const auto ns = [&](const std::string& name) {
    return report["first_iteration." + name].value.ns();
  };
  EXPECT_EQ(ns("time"), 10'000);
  EXPECT_EQ(ns("steady_time"), 1'000) << "of 1,000, 1,100 and 900";
  EXPECT_EQ(ns("excess"), 9'000);
  EXPECT_EQ(ns("allocator.free"), 600);
  EXPECT_EQ(ns("allocator.malloc"), 900);
  EXPECT_EQ(ns("allocator"), 1'500);
  EXPECT_EQ(ns("first_use"), 1'001);
  EXPECT_EQ(ns("initialisation"), 200);
  EXPECT_EQ(ns("sync"), 300 - 50);
  EXPECT_EQ(ns("data_loading"), 80);
  EXPECT_EQ(ns("unexplained"), 9'000 - 1'500 - 1'001 - 200 - 250 - 80);
  EXPECT_TRUE(report["first_iteration.excess"].is_reliable());
}

TEST(FirstIteration, ABlockedLaunchIsNoFirstUse) {
  MicroTrace trace = filling_queue(200, 40);  // slow ones take 100 medians
  trace.launch(90'000, 5'000, 900).kernel(20'000'000, 20, 900);
  trace.step(0, 0, 1'000'000).step(1, 1'000'000, 10).step(2, 1'000'010, 10);
  EXPECT_EQ(report_of(first_iteration, trace)["first_iteration.first_use"].value.ns(), 0);
}

TEST(FirstIteration, WithoutApiCallsOperatorsAreTheCause) {
  MicroTrace trace;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t start = 10'000 * i, more = i == 0 ? 3'000 : 0;
    trace.step(i, start, 10'000).op("slow", start, 1'000 + more).op("same", start + 5'000, 500);
  }
  trace.step(4, 40'000, 8'000);
  const Report report = report_of(first_iteration, trace);
  for (const char* cause : {"allocator", "allocator.free", "first_use", "initialisation", "sync"}) {
    const Metric& metric = report["first_iteration." + std::string(cause)];
    EXPECT_TRUE(metric.value.is_nothing()) << cause;
    EXPECT_EQ(metric.reason, "no API calls") << cause;
  }
  EXPECT_EQ(report["first_iteration.operators"].value.ns(), 3'000);
  EXPECT_EQ(report["first_iteration.unexplained"].value.ns(), -3'000) << "of an excess of 0";
  const Table& ops = report.table("excess by operator");
  ASSERT_EQ(ops.rows.size(), 1u);
  EXPECT_EQ(ops.rows[0][0].text(), "slow");
  EXPECT_EQ(ops.rows[0][3].ns(), 3'000);
  for (const auto& row : report.table("iterations").rows)
    for (std::size_t i = 2; i < row.size(); ++i)
      EXPECT_TRUE(row[i].is_nothing()) << "neither a GPU nor calls: no figure of them is 0";
}

TEST(FirstIteration, OfTwoTheOtherOneIsTheMedian) {
  MicroTrace trace;
  trace.step(0, 0, 5'000).op("mm", 0, 4'000).step(1, 5'000, 1'500).op("mm", 5'000, 1'000);
  const Table table = report_of(first_iteration, trace).table("excess by operator");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][3].ns(), 3'000);
}

TEST(FirstIteration, IsComparedWithThoseBeforeAChangeOfLevel) {
  MicroTrace trace;
  for (int64_t i = 0; i < 40; ++i) trace.step(i, 100'000 * i, 1);
  MicroTrace slower;
  int64_t at = 0;
  for (int64_t i = 0; i < 40; ++i) {
    const int64_t length = i == 0 ? 3'000 : i < 15 ? 1'000 : 10'000;
    slower.step(i, at, length);
    at += length;
  }
  const Report report = report_of(first_iteration, slower);
  EXPECT_EQ(report["first_iteration.excess"].value.ns(), 2'000);
  EXPECT_EQ(report["first_iteration.excess"].n, 15u);
  EXPECT_EQ(report["first_iteration.excess"].excluded.at("after_level_change"), 25u);
  const Report same = report_of(first_iteration, trace);
  EXPECT_FALSE(same["first_iteration.excess"].excluded.contains("after_level_change"));
}

TEST(FirstIteration, NeedsStepsAndSaysSo) {
  EXPECT_EQ(
      report_of(first_iteration, MicroTrace().op("a", 0, 10))["first_iteration.excess"].reason,
      "no step marks");
  const Report two = report_of(first_iteration, MicroTrace().step(0, 0, 10).step(1, 10, 4));
  EXPECT_EQ(two["first_iteration.excess"].value.ns(), 6);
  EXPECT_EQ(two["first_iteration.excess"].reason, "fewer than three steps");
}

}  // namespace
}  // namespace notape::trace
