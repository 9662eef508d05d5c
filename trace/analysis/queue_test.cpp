#include <gtest/gtest.h>

#include "trace/analysis/analyses.h"
#include "trace/analysis/saturation.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using testing::filling_queue;
using testing::MicroTrace;
using testing::report_of;
using testing::shown;

TEST(Queue, LaunchesCountBeforeStartsOfTheSameMoment) {
  // 0: +1; 10: +1, then -1; 30: -1. Heights 1 on [0, 10), 1 on [10, 30).
  const MicroTrace trace =
      MicroTrace().launch(0, 5, 1).kernel(10, 20, 1).launch(10, 5, 2).kernel(30, 20, 2);
  Selection selection;
  selection.as_hta = true;
  const Report report = report_of(queue, trace, selection);
  EXPECT_EQ(shown(report, "queue.max"), "2");
  EXPECT_EQ(shown(report, "queue.mean"), "1.0000");
  EXPECT_EQ(shown(report, "queue.p50"), "1");
  EXPECT_EQ(report["queue.hta.mean_of_events"].value.number(), (1 + 2 + 1 + 0) / 4.0);
  // In flight until the end: 2 on [10, 30).
  EXPECT_EQ(shown(report, "queue.in_flight_max"), "2");
}

TEST(Queue, RunAheadIsTheWorkNotYetDone) {
  // Returns at 10: 100 ahead. At 60, 30 of it done: 70 + 50. At 200: 150 of all 150 done.
  const MicroTrace trace = MicroTrace()
                               .launch(0, 10, 1)
                               .kernel(30, 100, 1)
                               .launch(50, 10, 2)
                               .kernel(130, 50, 2)
                               .launch(190, 10, 3)
                               .kernel(300, 7, 3);
  const Report report = report_of(queue, trace);
  EXPECT_EQ(report["run_ahead.max"].value.ns(), 120);
  EXPECT_EQ(report["run_ahead.mean"].value.ns(), (100 + 120 + 7) / 3);
}

TEST(Queue, RunAheadLeavesOutWhatLaterCallsOfOtherThreadsGotDone) {
  const MicroTrace trace = MicroTrace()
                               .launch(0, 100, 1)
                               .kernel(150, 40, 1)
                               .on_thread(2)
                               .launch(10, 5, 2)
                               .on_stream(8)
                               .kernel(20, 30, 2);
  // At 100 the first call returns: 40 ahead. At 15 the second: 40 + 30.
  EXPECT_EQ(report_of(queue, trace)["run_ahead.max"].value.ns(), 70);
  EXPECT_EQ(report_of(queue, trace)["run_ahead.mean"].value.ns(), 55);
}

TEST(Queue, DelaysKeepTheSignApart) {
  const MicroTrace trace = MicroTrace()
                               .launch(0, 10, 1)
                               .kernel(7, 5, 1)
                               .launch(20, 10, 2)
                               .kernel(45, 5, 2)
                               .launch(60, 10, 3)
                               .kernel(68, 5, 3);
  const Report report = report_of(queue, trace);
  EXPECT_EQ(report["launch_delay.p50"].value.ns(), 0) << "of -3, -2 and 15";
  EXPECT_EQ(report["launch_delay.max"].value.ns(), 15);
  EXPECT_EQ(report["launch_delay.lead_min"].value.ns(), -3);
  EXPECT_EQ(shown(report, "launch_delay.started_in_call"), "2");
}

TEST(Queue, FindsWhereLaunchCallsGetSlow) {
  const TraceModel model = filling_queue(100, 40).model();
  const Saturation saturation = find_saturation(model, 0);
  EXPECT_TRUE(saturation.is_found);
  // The median of calls at Q or deeper is 1,000 as soon as 40 of 80 are slow.
  EXPECT_EQ(saturation.depth, 60);
  EXPECT_EQ(saturation.median_call_ns, 10);
  EXPECT_EQ(saturation.launches[99].depth, 99);
  EXPECT_EQ(saturation.launches[99].blocked_ns, 0) << "as fast as all";
  EXPECT_EQ(saturation.launches[100].blocked_ns, 1'000 - 40);
  EXPECT_EQ(saturation.launches[100].blocked(), (Interval{1'000 + 40, 2'000}));
  const Report report = report_of(queue, filling_queue(100, 40));
  EXPECT_EQ(report["queue.blocked"].value.ns(), 40 * 960);
  EXPECT_EQ(shown(report, "queue.blocked_calls"), "40");
}

/// `rounds` times 100 launches and a copy that waits for them and for itself.
MicroTrace copying_to_the_cpu(int64_t rounds) {
  MicroTrace trace;
  int64_t at = 0, id = 1;
  for (int64_t round = 0; round < rounds; ++round) {
    const int64_t begin = at + 5'000;
    for (int64_t i = 0; i < 100; ++i, at += 10)
      trace.launch(at, 10, id + i).kernel(begin + i * 100, 100, id + i);
    id += 100;
    const int64_t end = begin + 100 * 100 + 50;
    trace.call("cudaMemcpyAsync", at, end + 10 - at, id).gpu_op("gpu_memcpy", end - 50, 50, id);
    ++id;
    at = end + 10;
  }
  return trace;
}

TEST(Queue, ACopyThatWaitsForItselfDoesNotWaitForRoom) {
  const TraceModel model = copying_to_the_cpu(40).model();
  EXPECT_FALSE(find_saturation(model, 0).is_found);
  const Saturation saturation = find_saturation(model, 0, 100);
  EXPECT_EQ(saturation.launches[100].depth, 100);
  EXPECT_TRUE(saturation.launches[100].awaits_its_op);
  for (const LaunchDepth& launch : saturation.launches) EXPECT_EQ(launch.blocked_ns, 0);
  EXPECT_FALSE(saturation.launches[99].awaits_its_op);
}

TEST(Queue, WithFewSlowCallsAssumesADepth) {
  const Saturation saturation = find_saturation(filling_queue(100, 14).model(), 0);
  EXPECT_FALSE(saturation.is_found);
  EXPECT_EQ(saturation.depth, 1'000);
  EXPECT_EQ(find_saturation(filling_queue(100, 40).model(), 0, 130).depth, 130);
}

}  // namespace
}  // namespace notape::trace
