#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using ::testing::HasSubstr;
using testing::MicroTrace;
using testing::report_of;
using testing::shown;
using testing::three_steps;

TEST(Dispatch, TellsTensorOpsDifferentiableOnesAndNodesApart) {
  MicroTrace trace;
  trace.op("aten::mul", 0, 100).launch(10, 5, 1).kernel(200, 10, 1);
  trace.op("aten::mul", 300, 100, R"("Sequence number":0)").launch(330, 5, 2).kernel(500, 10, 2);
  trace.op("autograd::engine::evaluate_function: MulBackward0", 600, 200, R"("Sequence number":0)")
      .op("MulBackward0", 620, 170, R"("Sequence number":0)")
      .op("aten::mul", 630, 100, R"("Sequence number":-1)")
      .launch(650, 5, 3)
      .kernel(900, 10, 3);
  const Report report = report_of(dispatch, trace);
  EXPECT_EQ(report["dispatch.tensor.pre_launch.p50"].value.ns(), 10);
  EXPECT_EQ(report["dispatch.tensor.pre_launch.p50"].n, 1u);
  EXPECT_EQ(report["dispatch.differentiable.pre_launch.p50"].value.ns(), 30);
  EXPECT_EQ(report["dispatch.differentiable.pre_launch.p50"].n, 1u);
  EXPECT_EQ(report["dispatch.backward.pre_launch.p50"].value.ns(), 50);
  EXPECT_EQ(report["dispatch.backward.pre_launch.p50"].n, 1u);
  EXPECT_EQ(report["dispatch.pre_launch.p50"].n, 3u);
}

TEST(Dispatch, CountsKernelsOnlyAndTheInnermostOp) {
  MicroTrace trace;
  trace.op("aten::linear", 0, 200)
      .op("aten::addmm", 50, 100)
      .call("cudaMemcpyAsync", 60, 5, 1)
      .gpu_op("gpu_memcpy", 300, 5, 1)
      .launch(90, 5, 2)
      .kernel(400, 5, 2)
      .launch(110, 5, 3)
      .kernel(410, 5, 3)
      .launch(500, 5, 4)
      .kernel(600, 5, 4);
  const Report report = report_of(dispatch, trace);
  EXPECT_EQ(report["dispatch.pre_launch.p50"].n, 1u) << "aten::linear launches nothing itself";
  EXPECT_EQ(report["dispatch.pre_launch.p50"].value.ns(), 40);
  EXPECT_EQ(report["dispatch.end_to_end.p50"].value.ns(), 350);
  EXPECT_EQ(shown(report, "dispatch.outside_op"), "1");
  EXPECT_EQ(report["dispatch.pre_launch.p50"].excluded.at("outside_op"), 1u);
  // Self: 200 - 100, and 100 - 15.
  EXPECT_EQ(report["dispatch.host_self.p95"].value.ns(), 100);
  EXPECT_EQ(report["dispatch.host_self.p50"].value.ns(), 100) << "index 1 of 2";
}

TEST(Dispatch, OnTheCpuIsTheOpWithoutItsArithmetic) {
  const Report report =
      report_of(dispatch, MicroTrace().op("aten::mul", 0, 100).slice("cpu_kernel", "mul", 30, 60));
  EXPECT_EQ(report["dispatch.cpu.p50"].value.ns(), 40);
}

TEST(Dispatch, CostOfANodeNeedsOneOpOftenBothWays) {
  MicroTrace trace;
  for (int64_t i = 0; i < 1'000; ++i) {
    trace.op("aten::mul", i * 100, 20, R"("Input Dims":[[2]])");
    trace.op("aten::mul", i * 100 + 50, 33, R"("Input Dims":[[2]],"Sequence number":1)");
  }
  const Report report = report_of(dispatch, trace);
  EXPECT_EQ(report["dispatch.autograd_overhead"].value.ns(), 13);
  EXPECT_EQ(report["dispatch.autograd_overhead"].n, 1'000u);
  EXPECT_THAT(report_of(dispatch, three_steps())["dispatch.autograd_overhead"].reason,
              HasSubstr("1,000 times"));
}

}  // namespace
}  // namespace notape::trace
