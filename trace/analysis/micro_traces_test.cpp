// Steps by hand through every analysis.
#include <gtest/gtest.h>

#include <algorithm>

#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using testing::MicroTrace;
using testing::report_of;
using testing::shown;
using testing::three_steps;

TEST(MicroTraces, ThreeStepsByHand) {
  const MicroTrace trace = three_steps();
  const Report idle_report = report_of(idle, trace);
  EXPECT_EQ(shown(idle_report, "idle.window"), "100.250");
  EXPECT_EQ(shown(idle_report, "idle.busy"), "60.750");
  EXPECT_EQ(shown(idle_report, "idle.total"), "39.500");
  EXPECT_EQ(shown(idle_report, "idle.host_wait"), "34.500");
  EXPECT_EQ(shown(idle_report, "idle.launch_latency"), "5.000");
  const Report queue_report = report_of(queue, trace);
  EXPECT_EQ(shown(queue_report, "launch_delay.p50"), "2.500");
  EXPECT_EQ(queue_report["queue.mean"].value.number(), 21.0 / 87.0);
  EXPECT_EQ(shown(queue_report, "queue.max"), "1");
  const Report dispatch_report = report_of(dispatch, trace);
  EXPECT_EQ(shown(dispatch_report, "dispatch.pre_launch.p50"), "2.000");
  EXPECT_EQ(shown(dispatch_report, "dispatch.end_to_end.p50"), "9.000");
  EXPECT_EQ(shown(dispatch_report, "dispatch.host_self.p50"), "3.500");
  EXPECT_EQ(dispatch_report["dispatch.differentiable.pre_launch.p50"].n, 3u);
  EXPECT_TRUE(dispatch_report["dispatch.tensor.pre_launch.p50"].value.is_nothing());
  const TraceModel model = trace.model();
  const Report ahead = queue_ahead(Scope(model, {}));
  EXPECT_EQ(ahead["queue_ahead.raw"].value.number(), 20.25 / 6.5);
  EXPECT_EQ(ahead["queue_ahead.raw"].window.name, "ProfilerStep#1");
  EXPECT_EQ(std::count_if(ahead.metrics.begin(), ahead.metrics.end(),
                          [](const Metric& metric) { return metric.name == "queue_ahead.raw"; }),
            3);
  // A: three ops of 8 us (the calls lie inside). With the kernel [19, 39.25) of the step before,
  // nothing of it overlaps.
  const Report overlap_report = report_of(overlap, trace);
  EXPECT_EQ(shown(overlap_report, "overlap.host_work"), "24.000");
  EXPECT_EQ(shown(overlap_report, "overlap.f_gpu"), "0.0000");
}

}  // namespace
}  // namespace notape::trace
