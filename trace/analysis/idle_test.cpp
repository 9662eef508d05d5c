#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/error.h"
#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using ::testing::HasSubstr;
using testing::MicroTrace;
using testing::report_of;
using testing::shown;

/// A kernel until 10 us, one from 30 us on, and a launch call of the second.
MicroTrace gap_with_launch(int64_t launch, int64_t length) {
  return MicroTrace()
      .launch(0, 1'000, 1)
      .kernel(2'000, 8'000, 1)
      .launch(launch, length, 2)
      .kernel(30'000, 5'000, 2);
}

struct Kinds {
  const char *host_wait, *launch_latency, *kernel_wait, *dependency, *unlinked;
};

void expect_kinds(const Report& report, const Kinds& kinds) {
  EXPECT_EQ(shown(report, "idle.host_wait"), kinds.host_wait);
  EXPECT_EQ(shown(report, "idle.launch_latency"), kinds.launch_latency);
  EXPECT_EQ(shown(report, "idle.kernel_wait"), kinds.kernel_wait);
  EXPECT_EQ(shown(report, "idle.dependency"), kinds.dependency);
  EXPECT_EQ(shown(report, "idle.unlinked"), kinds.unlinked);
}

TEST(Idle, KindsGoByWhenTheLaunchReturned) {
  expect_kinds(report_of(idle, gap_with_launch(20'000, 4'000)),
               {"14.000", "6.000", "0.000", "0.000", "0.000"});
  // Begun before the gap, returned in it: still the host's time.
  expect_kinds(report_of(idle, gap_with_launch(5'000, 10'000)),
               {"5.000", "15.000", "0.000", "0.000", "0.000"});
  // The kernel starts while its launch returns.
  expect_kinds(report_of(idle, gap_with_launch(29'000, 9'000)),
               {"20.000", "0.000", "0.000", "0.000", "0.000"});
  expect_kinds(report_of(idle, gap_with_launch(5'000, 5'000)),
               {"0.000", "0.000", "20.000", "0.000", "0.000"});
  Selection strict;
  strict.shortest_dependency_ns = 20'000;
  expect_kinds(report_of(idle, gap_with_launch(5'000, 5'000), strict),
               {"0.000", "0.000", "0.000", "20.000", "0.000"});
}

TEST(Idle, AGapWithoutALaunchRecordIsNeverMergedIntoAnotherKind) {
  const Report report = report_of(
      idle, MicroTrace().launch(0, 1'000, 1).kernel(2'000, 8'000, 1).kernel(30'000, 5'000, 99));
  expect_kinds(report, {"0.000", "0.000", "0.000", "0.000", "20.000"});
  EXPECT_THAT(report["idle.unlinked"].reason, HasSubstr("1 unlinked op"));
}

TEST(Idle, ByTheRulesOfHtaAGapIsOneThing) {
  Selection selection;
  selection.as_hta = true;
  EXPECT_EQ(shown(report_of(idle, gap_with_launch(20'000, 4'000), selection), "idle.hta.host_wait"),
            "20.000");
  EXPECT_EQ(
      shown(report_of(idle, gap_with_launch(5'000, 10'000), selection), "idle.hta.kernel_wait"),
      "20.000");
  selection.shortest_dependency_ns = 20'000;
  EXPECT_EQ(shown(report_of(idle, gap_with_launch(5'000, 10'000), selection), "idle.hta.other"),
            "20.000");
}

TEST(Idle, SaysWhatTheHostDidMeanwhile) {
  MicroTrace trace = gap_with_launch(26'000, 1'000);  // host_wait is [10, 27)
  trace
      .call("cudaStreamSynchronize", 8'000, 4'000)  // 2 of it
      .call("cudaMalloc", 12'000, 3'000)
      .op("aten::add", 14'000, 14'000)  // [15, 16), [18, 26)
      .call("cudaEventRecord", 16'000, 2'000)
      .on_thread(2)
      .call("cudaFree", 10'000, 17'000);  // another thread
  const Report report = report_of(idle, trace);
  EXPECT_EQ(shown(report, "idle.host_wait.blocking_sync"), "2.000");
  EXPECT_EQ(shown(report, "idle.host_wait.allocator"), "3.000");
  EXPECT_EQ(shown(report, "idle.host_wait.other_api"), "3.000");  // and the launch's own 1
  EXPECT_EQ(shown(report, "idle.host_wait.op_self"), "9.000");
  EXPECT_EQ(shown(report, "idle.host_wait.user_code"), "0.000");
  const auto& gap = report.table("largest gaps").rows.at(0);
  EXPECT_EQ(gap[3].shown(), "op_self");
  EXPECT_EQ(gap[4].shown(), "aten::add");
}

TEST(Idle, NamesTheCallThatTheHostWasIn) {
  MicroTrace trace = gap_with_launch(26'000, 1'000);
  trace.call("cudaEventCreateWithFlags", 11'000, 14'000);
  const Report report = report_of(idle, trace);
  const auto& gap = report.table("largest gaps").rows.at(0);
  EXPECT_EQ(gap[3].shown(), "other_api");
  EXPECT_EQ(gap[7].shown(), "cudaEventCreateWithFlags");
  EXPECT_EQ(gap[8].shown(), "14.000");
  EXPECT_TRUE(gap[9].is_nothing());
}

TEST(Idle, ALaunchCallOfFirstUseIsSaidToBeOne) {
  MicroTrace trace;
  for (int64_t i = 0; i < 10; ++i) trace.launch(100 * i, 10, i + 1).kernel(100 * i + 20, 50, i + 1);
  trace.launch(2'000, 50'000, 50).kernel(52'010, 50, 50);
  const Report report = report_of(idle, trace);
  const auto& gap = report.table("largest gaps").rows.at(0);
  EXPECT_EQ(gap[7].shown(), "cudaLaunchKernel");
  EXPECT_EQ(gap[9].shown(), "first use (inferred)");
}

TEST(Idle, CountsLoadingDataAndUserCodeApart) {
  MicroTrace trace = gap_with_launch(26'000, 1'000);
  trace.annotation("enumerate(DataLoader)#x", 11'000, 6'000);
  const Report report = report_of(idle, trace);
  EXPECT_EQ(shown(report, "idle.host_wait.data_loading"), "6.000");
  EXPECT_EQ(shown(report, "idle.host_wait.user_code"), "10.000");
}

TEST(Idle, NamesTheStreamThatADependencyWaitsFor) {
  MicroTrace trace =
      MicroTrace().launch(0, 1'000, 1).kernel(2'000, 8'000, 1).launch(3'000, 1'000, 2);
  trace.kernel(60'000, 5'000, 2).sync_row("Stream Wait Event", 9'000, 50'000, 20);
  const Report report = report_of(idle, trace);
  expect_kinds(report, {"0.000", "0.000", "0.000", "50.000", "0.000"});
  EXPECT_EQ(report.table("largest gaps").rows.at(0)[5].shown(), "20");
}

TEST(Idle, BusyIsMergedOverStreamsAndOnlyOfWork) {
  MicroTrace trace = MicroTrace().launch(0, 10, 1).launch(20, 10, 2).kernel(1'000, 4'000, 1);
  trace.sync_row("Stream Sync", 5'000, 9'000, -1)
      .slice("gpu_user_annotation", "step", 0, 90'000)
      .slice("overhead", "o", 0, 90'000)
      .slice("python_function", "f", 0, 90'000)
      .on_stream(8)
      .kernel(3'000, 4'000, 2);
  const Report report = report_of(idle, trace);
  EXPECT_EQ(shown(report, "idle.window"), "6.000");
  EXPECT_EQ(shown(report, "idle.busy"), "6.000");
  Selection selection;
  selection.stream = 8;
  EXPECT_EQ(shown(report_of(idle, trace, selection), "idle.busy"), "4.000");
}

TEST(Idle, EachDeviceIsItsOwn) {
  MicroTrace trace = MicroTrace().launch(0, 10, 1).launch(20, 10, 2).kernel(1'000, 1'000, 1);
  trace.on_stream(7, 1).kernel(9'000, 1'000, 2);
  const Report report = report_of(idle, trace);
  EXPECT_EQ(shown(report, "idle.window"), "1.000");
  EXPECT_EQ(report["idle.window"].device, 0);
  Selection selection;
  selection.device = 1;
  EXPECT_EQ(report_of(idle, trace, selection)["idle.window"].device, 1);
  selection.device = 2;
  EXPECT_THROW(report_of(idle, trace, selection), ValueError);
}

}  // namespace
}  // namespace notape::trace
