#include <gtest/gtest.h>

#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using testing::filling_queue;
using testing::MicroTrace;
using testing::report_of;
using testing::shown;

TEST(Overlap, HostWorkIsWithoutWaitsAndOnThreadsThatLaunch) {
  MicroTrace trace;
  trace.op("aten::mul", 0, 40'000)
      .launch(1'000, 1'000, 1)
      .kernel(10'000, 40'000, 1)
      .call("cudaDeviceSynchronize", 20'000, 10'000)
      .on_thread(2)
      .op("collate", 60'000, 5'000);
  // A = [0, 20) [30, 40), B = [10, 50): both [10, 20) [30, 40).
  const Report report = report_of(overlap, trace);
  EXPECT_EQ(shown(report, "overlap.host_work"), "30.000");
  EXPECT_EQ(shown(report, "overlap.f_gpu"), "0.5000");
  EXPECT_EQ(shown(report, "overlap.f_cpu"), "0.6667");
  EXPECT_EQ(shown(report, "overlap.f_min"), "0.6667") << "of the shorter, the host's";
  Selection selection;
  selection.all_threads = true;
  EXPECT_EQ(shown(report_of(overlap, trace, selection), "overlap.host_work"), "35.000");
}

TEST(Overlap, BlockedLaunchCallsAreNoWork) {
  Selection keep;
  keep.keep_blocked = true;
  const MicroTrace trace = filling_queue(100, 40);
  EXPECT_EQ(report_of(overlap, trace, keep)["overlap.host_work"].value.ns(), 41'000);
  EXPECT_EQ(report_of(overlap, trace)["overlap.host_work"].value.ns(), 41'000 - 40 * 960);
}

TEST(Overlap, OfAStepIsAboutItsOwnWorkOnEitherSide) {
  MicroTrace trace;
  trace.step(0, 0, 100).op("a", 0, 100).launch(10, 10, 1).kernel(100, 100, 1);
  trace.step(1, 100, 100).op("b", 100, 50).launch(110, 10, 2).kernel(200, 100, 2);
  Selection selection;
  selection.first_step = 0;
  const Report first = report_of(overlap, trace, selection);
  EXPECT_EQ(shown(first, "overlap.f_gpu"), "0.5000") << "beside the host work of step 1";
  EXPECT_EQ(shown(first, "overlap.f_cpu"), "0.0000");
  selection.first_step = 1;
  const Report second = report_of(overlap, trace, selection);
  EXPECT_EQ(shown(second, "overlap.f_gpu"), "0.0000");
  EXPECT_EQ(shown(second, "overlap.f_cpu"), "1.0000") << "hidden behind the GPU work of step 0";
}

TEST(Overlap, WithoutLaunchesNothingIsSaidOfTheHost) {
  const Report cpu = report_of(overlap, testing::MicroTrace().op("a", 0, 50));
  EXPECT_TRUE(cpu["overlap.host_work"].value.is_nothing());
  EXPECT_EQ(cpu["overlap.host_work"].reason, "no API calls");
  const Report gpu = report_of(overlap, testing::MicroTrace().kernel(10, 5, 1));
  EXPECT_EQ(gpu["overlap.gpu_busy"].value.ns(), 5);
  for (const char* name : {"overlap.host_work", "overlap.both", "overlap.f_gpu", "overlap.f_cpu"})
    EXPECT_TRUE(gpu[name].value.is_nothing()) << name;
  Selection all;
  all.all_threads = true;
  EXPECT_EQ(
      report_of(overlap, testing::MicroTrace().op("a", 0, 50), all)["overlap.host_work"].value.ns(),
      50);
}

}  // namespace
}  // namespace notape::trace
