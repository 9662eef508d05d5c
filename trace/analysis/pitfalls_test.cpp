// Mistakes that real files invite, each with the number that it would give.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "trace/analysis/analyses.h"
#include "trace/reader/trace_reader.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

/// A public trace; skips the test if it is not there.
class Pitfall : public ::testing::Test {
 protected:
  TraceModel load(const std::string& name) {
    path_ = testing::public_trace(name);
    if (path_.empty()) {
      reason_ = testing::no_public_trace(name);
      return {};
    }
    return load_model(path_);
  }

  std::string path_, reason_;
};

int64_t sum_of_lengths(const TraceModel& model) {
  int64_t sum = 0;
  for (const GpuOp& op : model.gpu_ops) sum += op.time.length();
  return sum;
}

TEST_F(Pitfall, ConcurrentStreamsAreMerged) {
  const TraceModel model = load("kineto_resnet50_first6_w0");
  if (path_.empty()) GTEST_SKIP() << reason_;
  EXPECT_EQ(sum_of_lengths(model), 987'884'000);
  EXPECT_EQ(idle(Scope(model, {}))["idle.busy"].value.ns(), 979'604'000);
  std::set<int64_t> streams;
  for (const GpuOp& op : model.gpu_ops) streams.insert(op.stream);
  EXPECT_EQ(streams.size(), 13u);
}

TEST_F(Pitfall, SynchronisationRowsAreNoWorkThoughTheyHaveAStream) {
  TraceModel model = load("hta_alexnet_malloc_a100");
  if (path_.empty()) GTEST_SKIP() << reason_;
  EXPECT_EQ(idle(Scope(model, {}))["idle.busy"].value.ns(), 66'141'000);
  std::vector<Interval> times;
  std::map<std::string_view, int> names;
  for (const GpuOp& op : model.gpu_ops) times.push_back(op.time);
  for (const SyncRow& sync : model.syncs) {
    times.push_back(sync.time);
    ++names[model.name(sync.name)];
  }
  EXPECT_EQ(IntervalSet(times).length(), 66'327'000) << "what one gets with them";
  EXPECT_EQ(names, (std::map<std::string_view, int>{
                       {"Context Sync", 5}, {"Stream Sync", 16}, {"Stream Wait Event", 20}}));
}

TEST_F(Pitfall, FramesOnProcess0AreNotOnGpu0) {
  const TraceModel model = load("tracelens_h100_bert_small");
  if (path_.empty()) GTEST_SKIP() << reason_;
  EXPECT_EQ(model.counts.stack_rows, 1'385u);
  EXPECT_EQ(model.counts.gpu_annotations, 1u);
  EXPECT_EQ(model.gpu_ops.size(), 61u);
  EXPECT_EQ(model.threads.size(), 1u);
}

TEST_F(Pitfall, DoublesMoveEpochTimes) {
  load("hta_resnet_ns_v100");
  if (path_.empty()) GTEST_SKIP() << reason_;
  TraceReader reader(path_);
  int slices = 0, moved = 0;
  while (const RawEvent* event = reader.next()) {
    if (event->phase != 'X' || !event->begin.ns) continue;
    ++slices;
    const std::string text(event->text);
    const std::size_t place = text.find("\"ts\":") + 5;
    const double us = std::stod(text.substr(place));
    // A double of 1.7e15 us has steps of 0.25 us, one of 1.7e18 ns of 256 ns.
    moved += static_cast<int64_t>(us * 1'000) != *event->begin.ns;
  }
  EXPECT_EQ(slices, 45'420);
  EXPECT_EQ(moved, 45'250);
}

TEST_F(Pitfall, StepMarksAreHostTime) {
  const TraceModel model = load("hta_resnet_ns_v100");
  if (path_.empty()) GTEST_SKIP() << reason_;
  int64_t most = 0;
  for (const ModelStep& step : model.steps) {
    Selection selection;
    selection.first_step = step.number;
    const std::vector<const GpuOp*> ops = Scope(model, selection).gpu_ops(0);
    EXPECT_EQ(ops.size(), 1'219u);
    most = std::max<int64_t>(most, std::count_if(ops.begin(), ops.end(), [&](const GpuOp* op) {
                               return op->time.begin >= step.time.end;
                             }));
  }
  EXPECT_EQ(most, 1'021);
}

TEST_F(Pitfall, CallsThatPutNothingOnTheGpuAreNoUnlinkedOps) {
  const TraceModel model = load("hta_resnet_ns_v100");
  if (path_.empty()) GTEST_SKIP() << reason_;
  int fills = 0, without_op = 0;
  for (const ApiCall& call : model.calls)
    if (model.name(call.name) == "cudaMemsetAsync") {
      ++fills;
      without_op += !call.is_linked();
    }
  EXPECT_EQ(fills, 380);
  EXPECT_EQ(without_op, 235);
  EXPECT_EQ(model.counts.unlinked, 0u);
}

TEST_F(Pitfall, FlowsHaveOrphans) {
  const TraceModel model = load("hta_resnet_ns_v100");
  if (path_.empty()) GTEST_SKIP() << reason_;
  TraceReader reader(path_);
  std::map<std::string, int> launches, gradients;
  std::map<char, int> ends;
  while (const RawEvent* event = reader.next()) {
    if (event->category == "fwdbwd")
      gradients[std::string(event->id)] |= event->phase == 's' ? 1 : 2;
    if (event->category != "ac2g") continue;
    launches[std::string(event->id)] |= event->phase == 's' ? 1 : 2;
    ++ends[event->phase];
  }
  const auto complete = [](const std::map<std::string, int>& flows) {
    return std::count_if(flows.begin(), flows.end(),
                         [](const auto& flow) { return flow.second == 3; });
  };
  EXPECT_EQ(ends['s'], 6'401);
  EXPECT_EQ(ends['f'], 15'023);
  EXPECT_EQ(complete(launches), 6'095);
  EXPECT_EQ(complete(gradients), 905);
  EXPECT_EQ(model.launched.size(), 6'095u) << "by correlation";
}

TEST_F(Pitfall, ALaunchInProgressIsHostTime) {
  const TraceModel model = load("kineto_resnet50_first6_w0");
  if (path_.empty()) GTEST_SKIP() << reason_;
  Selection selection;
  selection.as_hta = true;
  const Report report = idle(Scope(model, selection));
  EXPECT_EQ(report["idle.hta.other"].value.ns(), 1'567'136'000) << "one slow call, nearly all";
  EXPECT_EQ(report["idle.dependency"].value.ns(), 0);
  const auto& gap = report.table("largest gaps").rows.at(0);
  EXPECT_EQ(gap[2].text(), "host_wait");
  EXPECT_EQ(gap[3].text(), "other_api");
}

TEST_F(Pitfall, OpsMayLieOutsideOfEveryStep) {
  const TraceModel model = load("hta_cpu_only");
  if (path_.empty()) GTEST_SKIP() << reason_;
  Selection selection;
  selection.first_step = 551;
  const Report report = dispatch(Scope(model, selection));
  EXPECT_TRUE(report["dispatch.host_self.p50"].value.is_nothing());
  EXPECT_EQ(report["dispatch.host_self.p50"].reason, "no data");
  EXPECT_EQ(check(Scope(model, {}))["check.cpu_ops"].value.count(), 4);
  int reductions = 0;
  std::set<uint32_t> threads;
  for (const Annotation& annotation : model.annotations)
    if (model.name(annotation.name) == "gloo:all_reduce") {
      ++reductions;
      threads.insert(annotation.thread);
    }
  EXPECT_EQ(reductions, 10);
  EXPECT_EQ(threads.size(), 2u);
}

TEST(Pitfalls, OfBackwardOnAnotherThreadNothingIsMissing) {
  testing::MicroTrace trace;
  trace.step(0, 0, 1'000)
      .op("aten::mul", 0, 50)
      .launch(10, 5, 1)
      .kernel(100, 10, 1)
      .on_thread(2)
      .op("autograd::engine::evaluate_function: MulBackward0", 200, 100)
      .launch(220, 5, 2)
      .kernel(300, 10, 2)
      .memory(210, 512, 512, 512);
  const TraceModel model = trace.model();
  Selection selection;
  selection.first_step = 0;
  const Scope scope(model, selection);
  EXPECT_EQ(dispatch(scope)["dispatch.backward.pre_launch.p50"].value.ns(), 20);
  EXPECT_EQ(queue_ahead(scope)["queue_ahead.raw"].n, 2u);
  EXPECT_EQ(alloc(scope)["alloc.device_allocations"].value.count(), 1);
}

}  // namespace
}  // namespace notape::trace
