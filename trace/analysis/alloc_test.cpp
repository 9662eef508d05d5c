#include <gtest/gtest.h>

#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using testing::MicroTrace;
using testing::report_of;
using testing::shown;

TEST(Alloc, StallsCountPerStepUntilItIsSteady) {
  MicroTrace trace;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t at = i * 1'000;
    trace.step(i, at, 1'000).launch(at + 10, 10, i + 1).kernel(at + 50, 100, i + 1);
    if (i < 2) trace.call("cudaMalloc", at + 100, 200);  // 50 of it while the kernel runs
  }
  trace.call("cudaFree", 1'250, 100).call("cudaHostAlloc", 1'400, 10);  // 50 of it in cudaMalloc
  trace.memory(5, 512, 512, 4'096).memory(6, 512, 1'024, 4'096).memory(7, -512, 512, 4'096);
  trace.memory(8, 64, 64, 0, 0);
  for (int i = 0; i < 6; ++i) trace.memory(20 + i, 8, 0, 0);
  const Report report = report_of(alloc, trace);
  EXPECT_EQ(shown(report, "alloc.calls"), "4");
  EXPECT_EQ(report["alloc.stall_cpu"].value.ns(), 200 + 250 + 10);
  EXPECT_EQ(report["alloc.stall_gpu"].value.ns(), 150 + 200 + 10);
  EXPECT_EQ(report["alloc.hit_rate"].value.number(), 0.75) << "2 calls for 8 allocations";
  EXPECT_EQ(shown(report, "alloc.host_events"), "1");
  EXPECT_EQ(shown(report, "alloc.host_bytes"), "64");
  EXPECT_EQ(shown(report, "alloc.host_allocated_peak"), "64");
  EXPECT_EQ(shown(report, "alloc.allocated_peak"), "1024");
  EXPECT_EQ(shown(report, "alloc.steady_from"), "2");
  EXPECT_EQ(report.table("by step").rows.at(1)[1].shown(), "3");
  Selection selection;
  selection.first_step = 0;
  EXPECT_EQ(shown(report_of(alloc, trace, selection), "alloc.calls"), "1");
  selection.with_curves = true;
  EXPECT_EQ(report_of(alloc, trace, selection).table("memory of the caching allocator").rows.size(),
            9u);
}

TEST(Alloc, FollowsTheMemoryOfTensorsOnTheCpu) {
  MicroTrace trace;
  trace.op("aten::add", 0, 100);
  trace.memory(10, 400, 400, 0, 0).memory(20, 600, 1'000, 0, 0).memory(30, -400, 600, 0, 0);
  Selection selection;
  selection.with_curves = true;
  const Report report = report_of(alloc, trace, selection);
  EXPECT_EQ(shown(report, "alloc.host_events"), "3");
  EXPECT_EQ(shown(report, "alloc.host_bytes"), "1000");
  EXPECT_EQ(shown(report, "alloc.host_allocated_peak"), "1000");
  const auto& rows = report.table("memory of tensors on the CPU").rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2][1].count(), -400);
  EXPECT_EQ(rows[2][2].count(), 600);
}

TEST(Alloc, SeesARetryAfterMemoryRanOut) {
  MicroTrace trace;
  trace.op("aten::empty", 0, 100);
  trace.call("cudaMalloc", 10, 5).call("cudaFree", 20, 5).call("cudaFree", 30, 5);
  trace.call("cudaMalloc", 40, 5);
  EXPECT_EQ(shown(report_of(alloc, trace), "alloc.retries"), "1");
  EXPECT_EQ(shown(report_of(alloc, trace.launch(35, 2, 1).kernel(200, 5, 1)), "alloc.retries"), "0")
      << "something was launched between";
}

TEST(Alloc, WithoutApiCallsItKnowsNothingOfThem) {
  testing::MicroTrace trace;
  trace.step(0, 0, 100).step(1, 100, 100).kernel(50, 10, 1).memory(20, 512, 0, 0);
  const Report report = report_of(alloc, trace);
  for (const char* name : {"alloc.calls", "alloc.stall_cpu", "alloc.stall_gpu", "alloc.retries",
                           "alloc.steady_from", "alloc.hit_rate"}) {
    EXPECT_TRUE(report[name].value.is_nothing()) << name;
    EXPECT_TRUE(report[name].reason.starts_with("no API calls")) << name << report[name].reason;
  }
  EXPECT_EQ(report["alloc.device_allocations"].value.count(), 1);
  EXPECT_TRUE(report["alloc.allocated_peak"].value.is_nothing()) << "its event has no total";
}

}  // namespace
}  // namespace notape::trace
