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
