#include <gtest/gtest.h>

#include "autograd/error.h"
#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using testing::filling_queue;
using testing::MicroTrace;

TEST(QueueAhead, CorrectedHasBlockedTimeTakenOut) {
  MicroTrace trace = filling_queue(100, 40);
  trace.op("aten::mul", 0, 5);
  const TraceModel model = trace.model();
  const Report report = queue_ahead(Scope(model, {}));
  EXPECT_EQ(report["queue_ahead.t_cpu"].value.ns(), 100 * 10 + 40 * 1'000);
  EXPECT_EQ(report["queue_ahead.t_gpu"].value.ns(), 140 * 20);
  EXPECT_EQ(report["queue_ahead.backpressure"].value.ns(), 40 * 960);
  EXPECT_EQ(report["queue_ahead.raw"].value.number(), 2'800.0 / 41'000.0);
  EXPECT_EQ(report["queue_ahead.corrected"].value.number(), 2'800.0 / 2'600.0);
  EXPECT_EQ(report["queue_ahead.raw"].reason, "no step marks");
}

TEST(QueueAhead, HostTimeIsWithoutSyncsAndDataLoadingBetween) {
  MicroTrace trace;
  trace.step(0, 0, 1'000'000)
      .call("cudaDeviceSynchronize", 1'000, 2'000)  // before the first op
      .op("aten::mul", 10'000, 5'000)
      .launch(12'000, 1'000, 1)
      .kernel(20'000, 30'000, 1)
      .call("cudaStreamSynchronize", 30'000, 10'000)
      .annotation("enumerate(DataLoader)#x", 38'000, 12'000)  // 10 of it after the sync
      .launch(60'000, 2'000, 2)
      .kernel(70'000, 30'000, 2)
      .call("cudaDeviceSynchronize", 80'000, 30'000);  // after the last launch
  const TraceModel model = trace.model();
  const Report report = queue_ahead(Scope(model, {}));
  EXPECT_EQ(report["queue_ahead.t_cpu"].value.ns(), 52'000 - 20'000);
  EXPECT_EQ(report["queue_ahead.span"].value.ns(), 80'000);
  EXPECT_EQ(report["queue_ahead.t_gpu"].value.ns(), 60'000);
}

TEST(QueueAhead, StepsOwnWhatTheyLaunchWheneverItRuns) {
  MicroTrace trace;
  trace.step(0, 0, 100).op("a", 10, 50).launch(20, 10, 1).kernel(500, 100, 1);
  trace.step(1, 100, 100).op("b", 110, 50).launch(120, 10, 2).kernel(600, 200, 2);
  const TraceModel model = trace.model();
  Selection selection;
  selection.first_step = 0;
  EXPECT_EQ(queue_ahead(Scope(model, selection))["queue_ahead.t_gpu"].value.ns(), 100);
  EXPECT_EQ(idle(Scope(model, selection))["idle.window"].value.ns(), 100);
  selection.first_step = 1;
  EXPECT_EQ(queue_ahead(Scope(model, selection))["queue_ahead.t_gpu"].value.ns(), 200);
  selection.first_step = 5;
  EXPECT_THROW(Scope(model, selection), ValueError);
  selection.first_step = 1;
  EXPECT_THROW(queue_ahead(Scope(model, selection), {"conv", 0}), ValueError);
  EXPECT_THROW(queue_ahead(Scope(model, selection), {"(", 0}), ValueError);
}

}  // namespace
}  // namespace notape::trace
