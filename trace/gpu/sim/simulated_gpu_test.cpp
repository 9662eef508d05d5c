// A GPU with known costs: every figure of such a recording has a closed form.
#include "trace/gpu/sim/simulated_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "autograd/tensor/factories.h"
#include "ops/elementwise.h"
#include "trace/analysis/analyses.h"
#include "trace/gpu/gpu_session.h"
#include "trace/gpu/sim/simulation_observer.h"
#include "trace/record/event_number.h"
#include "trace/record/range.h"
#include "trace/record/recorder.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/recordings.h"
#include "trace/write/check_trace.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/output_file.h"

namespace notape::trace {
namespace {

using testing::event;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::shown;
using testing::TemporaryFile;

constexpr SimulatedCosts kCosts = {.launch_ns = 1'000,
                                   .latency_ns = 500,
                                   .kernel_ns = 10'000,
                                   .allocate_ns = 200'000,
                                   .release_ns = 30'000,
                                   .queue_depth = 1'022};

/// A host that calls a simulated GPU, one call after the other.
struct Host {
  explicit Host(SimulatedCosts costs = kCosts) : gpu(costs) {}
  SimulatedGpu::Caller caller() const { return {100, event_number(1, 0), now}; }
  void launch(int64_t stream = 7) { now = gpu.launch(caller(), "k", stream); }
  void begin_step(uint64_t number) {
    Event step = event(EventKind::Step, "ProfilerStep", now, now);
    step.number = number;
    if (!steps.empty()) steps.back().end_ns = now;
    steps.push_back(step);
  }

  TraceModel model() {
    if (!steps.empty()) steps.back().end_ns = now;
    std::vector<Event> events = steps;
    Event op = testing::operation("op", 0, now, 0, 0);
    if (steps.empty()) events.push_back(op);
    for (uint32_t i = 0; i < steps.size(); ++i) {
      // One op fills each step.
      op.begin_ns = steps[i].begin_ns;
      op.end_ns = steps[i].end_ns;
      op.parent = 2 * i;
      events.insert(events.begin() + 2 * i + 1, op);
    }
    Recording recording = testing::recording_of({{1, 100, "main", events, 0}});
    recording.device = gpu.take();
    for (DeviceRow& row : recording.device.rows) row.operation = 0;
    const TemporaryFile file(".json");
    write_chrome_trace(recording, make_timeline(recording), file.path());
    EXPECT_THAT(check_trace(file.path()).complaints, IsEmpty());
    return load_model(file.path());
  }

  SimulatedGpu gpu;
  int64_t now = 10'000;
  std::vector<Event> steps;
};

std::string figure(Report (*question)(const Scope&), const TraceModel& model, const char* metric) {
  return shown(question(Scope(model, {})), metric);
}

TEST(SimulatedGpu, OneStreamIsBusyFromTheFirstKernelToTheLast) {
  Host host;
  for (int i = 0; i < 100; ++i) host.launch();
  const TraceModel model = host.model();
  EXPECT_EQ(figure(idle, model, "idle.window"), "1000.000");
  EXPECT_EQ(figure(idle, model, "idle.busy"), "1000.000");
  // All are launched within 100 us: 10 have started when the last call begins, and run 10 us each.
  EXPECT_EQ(figure(queue, model, "queue.max"), "90");
}

TEST(SimulatedGpu, AnIdleGpuWaitsForTheHost) {
  Host host;
  for (int i = 0; i < 10; ++i) {
    host.launch();
    host.now += 49'000;  // 50 us from launch to launch
  }
  const TraceModel model = host.model();
  EXPECT_EQ(figure(idle, model, "idle.window"), "460.000");     // 9 x 50 + 10
  EXPECT_EQ(figure(idle, model, "idle.busy"), "100.000");       // 10 x 10
  EXPECT_EQ(figure(idle, model, "idle.host_wait"), "355.500");  // 9 x (50 - 10 - 0.5)
  EXPECT_EQ(figure(idle, model, "idle.launch_latency"), "4.500");
  EXPECT_EQ(figure(queue, model, "queue.max"), "1");
}

TEST(SimulatedGpu, AFullQueueMakesTheHostAsSlowAsTheGpu) {
  SimulatedCosts costs = kCosts;
  costs.queue_depth = 1'000;
  Host host(costs);
  for (uint64_t step = 0; step < 8; ++step) {
    host.begin_step(step);
    for (int i = 0; i < 200; ++i) host.launch();
  }
  const TraceModel model = host.model();
  // The queue is full from the 1,111th launch on. In the last step each call takes as long as a
  // kernel, 10 us, of which all but 4 medians of 1 us are waiting.
  Selection last;
  last.first_step = last.last_step = 7;
  const Report ahead = queue_ahead(Scope(model, last));
  EXPECT_NEAR(std::stod(shown(ahead, "queue_ahead.raw")), 1.0, 0.001);
  EXPECT_NEAR(std::stod(shown(ahead, "queue_ahead.corrected")), 2.5, 0.001);
  EXPECT_FALSE(ahead["queue_ahead.raw"].is_reliable());
  EXPECT_THAT(ahead["queue_ahead.raw"].reason, HasSubstr("simulated device"));
  Selection first;
  first.first_step = first.last_step = 0;
  EXPECT_NEAR(std::stod(shown(queue_ahead(Scope(model, first)), "queue_ahead.raw")), 10.0, 0.001);
}

TEST(SimulatedGpu, TwoStreamsWorkAtTheSameTime) {
  Host host;
  for (int i = 0; i < 20; ++i) host.launch(i % 2 ? 20 : 7);
  // 20 kernels of 10 us, in pairs 1 us apart.
  EXPECT_EQ(figure(idle, host.model(), "idle.busy"), "101.000");
}

TEST(SimulatedGpu, AStreamWaitsForAnother) {
  Host host;
  host.launch(7);
  host.now = host.gpu.wait(host.caller(), 20, 7);
  host.launch(20);
  const TraceModel model = host.model();
  EXPECT_EQ(figure(idle, model, "idle.busy"), "20.000");
  EXPECT_EQ(figure(idle, model, "idle.window"), "20.000");
  ASSERT_EQ(model.syncs.size(), 1U);
  EXPECT_EQ(model.syncs[0].awaited_stream, 7);
}

TEST(SimulatedGpu, TheFirstIterationPaysForItsMemory) {
  Host host;
  for (uint64_t step = 0; step < 4; ++step) {
    host.begin_step(step);
    if (step == 0)
      for (int i = 0; i < 3; ++i) host.now = host.gpu.allocate(host.caller(), 1 << 20);
    if (step == 0) host.now = host.gpu.release(host.caller());
    host.launch();
    host.now += 20'000;
  }
  const TraceModel model = host.model();
  EXPECT_EQ(figure(alloc, model, "alloc.stall_cpu"), "630.000");  // 3 x 200 + 30
  EXPECT_EQ(figure(alloc, model, "alloc.calls"), "4");
  EXPECT_EQ(figure(alloc, model, "alloc.steady_from"), "1");
}

TEST(SimulatedGpu, FreeingWaitsForTheDevice) {
  Host host;
  host.launch();
  const int64_t kernel_ends = host.now + 500 + 10'000;
  EXPECT_EQ(host.gpu.release(host.caller()), kernel_ends + 30'000);
}

TEST(SimulationObserver, KnowsWhatLaunches) {
  for (const char* name : {"mul", "add_", "mm", "tanh", "sum", "cat"})
    EXPECT_TRUE(launches_kernel(name)) << name;
  for (const char* name : {"view", "transpose", "backward", "no such operator"})
    EXPECT_FALSE(launches_kernel(name)) << name;
}

TEST(SimulationObserver, GivesAProgramOnTheCpuTheRowsOfAGpu) {
  Recorder& recorder = Recorder::instance();
  GpuSession gpu(GpuSource::Simulated, recorder);
  Recorder::Options options;
  options.in_front = &gpu.in_front();
  recorder.start(options);
  const Tensor x = ones({4}, requires_grad());
  for (uint64_t i = 0; i < 3; ++i) {
    const Step step(i);
    const Range range("product");
    (x * x).backward(ones({4}));
  }
  gpu.finish();
  Recording recording = recorder.stop();
  recording.device = gpu.take();
  const TemporaryFile file(".json");
  write_chrome_trace(recording, make_timeline(recording), file.path());
  EXPECT_THAT(check_trace(file.path()).complaints, IsEmpty());
  const TraceModel model = load_model(file.path());
  EXPECT_EQ(model.device_kind, "sim");
  EXPECT_GE(model.gpu_ops.size(), 9U);  // mul, and the two products of its derivative, three times
  EXPECT_EQ(model.counts.unlinked, 0U);
  EXPECT_EQ(model.counts.early, 0U);
  for (const ApiCall& call : model.calls)
    if (call.is_linked()) {
      EXPECT_NE(call.op, kNowhere);
      EXPECT_EQ(call.external_id, model.ops[static_cast<std::size_t>(call.op)].external_id);
    }
  EXPECT_EQ(model.counts.gpu_annotations, 3U);
  for (Report (*question)(const Scope&) : {idle, queue, overlap}) {
    const Report report = question(Scope(model, {}));
    for (const Metric& metric : report.metrics)
      EXPECT_THAT(metric.reason, HasSubstr("simulated device")) << metric.name;
  }
}

TEST(SimulatedGpu, OperandsReachTheRecorderBehindIt) {
  Recorder& recorder = Recorder::instance();
  SimulationObserver simulation(recorder);
  Recorder::Options options;
  options.shapes = true;
  options.in_front = &simulation;
  recorder.start(options);
  ones({2, 3}).add(ones({2, 3}));
  simulation.finish();
  const Recording recording = recorder.stop();
  const auto is_add = [](const Event& one) { return one.name == std::string_view("add"); };
  const std::vector<Event>& events = recording.threads.at(0).events;
  const auto add = std::find_if(events.begin(), events.end(), is_add);
  ASSERT_NE(add, events.end());
  ASSERT_EQ(add->operands.size(), 2u);
  EXPECT_THAT(add->operands[0].sizes, ::testing::ElementsAre(2, 3));
}

}  // namespace
}  // namespace notape::trace
