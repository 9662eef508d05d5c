#include "trace/analysis/step_samples.h"

#include <gtest/gtest.h>

#include "trace/analysis/analyses.h"
#include "trace/analysis/diff.h"
#include "trace/testing/micro_trace.h"

namespace notape::trace {
namespace {

using testing::MicroTrace;

/// 400 steps of an op, a launch and its kernel, three times as long from step `slow_from` on.
MicroTrace many_steps(int64_t slow_from) {
  MicroTrace trace;
  for (int64_t i = 0; i < 400; ++i) {
    const int64_t start = 10'000 * i, longer = i >= slow_from ? 3 : 1;
    trace.step(i, start, 2'000 * longer)
        .op("aten::mul", start, 1'000 * longer)
        .launch(start + 100 * longer, 20, i + 1)
        .kernel(start + 400 * longer, 300, i + 1);
  }
  return trace;
}

TEST(StepSamples, AreOfAllSteps) {
  const TraceModel model = many_steps(1'000).model();
  const auto samples = step_samples(model, {});
  for (const char* name : {"step.time", "dispatch.p50", "idle.busy", "alloc.calls", "overlap.f_gpu",
                           "queue_ahead.t_gpu", "run_ahead.max"}) {
    EXPECT_EQ(samples.at(name).values.size(), 400u) << name;
    EXPECT_EQ(samples.at(name).without, 0u) << name;
  }
  EXPECT_EQ(samples.at("dispatch.backward.p50").without, 400u) << "no step has such a figure";
}

TEST(StepSamples, AGateSeesWhatHappensInLaterSteps) {
  const TraceModel before = many_steps(1'000).model(), after = many_steps(150).model();
  const DiffResult result = diff(before, after, {}, {Gate("step.time<=+5%")});
  ASSERT_EQ(result.failed.size(), 1u);
  EXPECT_EQ(result.failed[0], "step.time<=+5%: 6.000 us is above 2.100; it was 2.000");
  EXPECT_EQ(result.report["diff.step.time"].n, 400u);
}

TEST(StepSamples, OneStepOfManyIsWhatItIsAlone) {
  const TraceModel model = many_steps(200).model();
  const Scope whole(model, {});
  for (const std::size_t place : {0u, 199u, 200u, 399u}) {
    Selection selection;
    selection.first_step = model.steps[place].number;
    const Scope alone(model, selection), shared = whole.of_step(model.steps[place]);
    for (const auto analysis : {&dispatch, &overlap, &idle, &queue, &alloc}) {
      const Report a = analysis(alone), b = analysis(shared);
      ASSERT_EQ(a.metrics.size(), b.metrics.size());
      for (std::size_t i = 0; i < a.metrics.size(); ++i)
        EXPECT_EQ(a.metrics[i].json(), b.metrics[i].json());
    }
  }
}

TEST(StepSamples, IntervalsOfManyValuesAreNarrowAndNoNarrower) {
  StepSamples samples;
  for (int i = 0; i < 10'000; ++i) samples.values.push_back(i);
  // 5,000 - 1.96 * sqrt(10,000) / 2; 2^-10,000 is no number that a double holds.
  EXPECT_EQ(samples.lowest(), 4'901);
  EXPECT_EQ(samples.highest(), 5'098);
}

}  // namespace
}  // namespace notape::trace
