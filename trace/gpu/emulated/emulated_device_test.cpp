// A GPU with known costs: every figure of such a recording has a closed form.
#include "trace/gpu/emulated/emulated_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"
#include "trace/analysis/analyses.h"
#include "trace/gpu/gpu_session.h"
#include "trace/record/range.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/recordings.h"
#include "trace/write/check_trace.h"
#include "trace/write/chrome_writer.h"

namespace notape::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::shown;

[[maybe_unused]] const int wanted = ::setenv("NOTAPE_CUDA", "emulated", 1);

/// An operator that launches one kernel takes the host 1 us, and the device 10 us.
emulator::Costs round_costs() {
  emulator::Costs costs;
  costs.operator_ns = 400;
  costs.launch_ns = 600;
  costs.call_ns = 500;
  costs.latency_ns = 500;
  costs.kernel_ns = 10'000;
  costs.threads_per_ns = costs.flop_per_ns = 1e18;
  costs.allocate_ns = 200'000;
  costs.release_ns = 30'000;
  return costs;
}

class EmulatedGpu : public ::testing::Test {
 protected:
  EmulatedGpu() { emulator::set_costs(round_costs()); }
  ~EmulatedGpu() override { emulator::set_costs({}); }

  void launch(int times = 1) {
    for (int i = 0; i < times; ++i) x_.neg_();
  }

  template <typename Program>
  Recording record(const Program& program) const {
    notape::synchronize(kCUDA);
    Recorder& recorder = Recorder::instance();
    GpuSession gpu(GpuSource::Auto, recorder);
    Recorder::Options options;
    options.in_front = &gpu.in_front();
    options.clock = gpu.clock();
    recorder.start(options);
    program();
    gpu.finish();
    Recording recording = recorder.stop();
    recording.device = gpu.take();
    return recording;
  }
  template <typename Program>
  TraceModel model(const Program& program) const {
    const Recording recording = record(program);
    const testing::TemporaryFile file(".json");
    write_chrome_trace(recording, make_timeline(recording), file.path());
    EXPECT_THAT(check_trace(file.path()).complaints, IsEmpty());
    return load_model(file.path());
  }

  Tensor x_ = ones({4}, Device(kCUDA));
};

std::string figure(Report (*question)(const Scope&), const TraceModel& model, const char* metric) {
  return shown(question(Scope(model, {})), metric);
}

TEST_F(EmulatedGpu, A05_AnOperatorReturnsBeforeItsKernelEnds) {
  const Recording recording = record([&] { launch(100); });
  const Event& last = recording.threads.at(0).events.back();
  EXPECT_EQ(last.end_ns - recording.started.monotonic_ns, 100'000);
  EXPECT_EQ(recording.device.rows.size(), 2 * 100 + 1U) << "a wait at the end";
  for (const DeviceRow& row : recording.device.rows)
    if (row.is_work()) {
      EXPECT_EQ(row.end_ns - row.begin_ns, 10'000) << row.name;
    }
}

TEST_F(EmulatedGpu, OneStreamIsBusyFromTheFirstKernelToTheLast) {
  const TraceModel model = this->model([&] { launch(100); });
  EXPECT_EQ(figure(idle, model, "idle.window"), "1000.000");
  EXPECT_EQ(figure(idle, model, "idle.busy"), "1000.000");
  // All are launched within 100 us: 10 have started when the last call begins, and run 10 us each.
  EXPECT_EQ(figure(queue, model, "queue.max"), "90");
}

TEST_F(EmulatedGpu, AnIdleGpuWaitsForTheHost) {
  emulator::Costs costs = round_costs();
  costs.operator_ns = 49'400;  // 50 us from launch to launch
  emulator::set_costs(costs);
  const TraceModel model = this->model([&] { launch(10); });
  EXPECT_EQ(figure(idle, model, "idle.window"), "460.000");     // 9 x 50 + 10
  EXPECT_EQ(figure(idle, model, "idle.busy"), "100.000");       // 10 x 10
  EXPECT_EQ(figure(idle, model, "idle.host_wait"), "355.500");  // 9 x (50 - 10 - 0.5)
  EXPECT_EQ(figure(idle, model, "idle.launch_latency"), "4.500");
  EXPECT_EQ(figure(queue, model, "queue.max"), "1");
}

TEST_F(EmulatedGpu, AFullQueueMakesTheHostAsSlowAsTheGpu) {
  emulator::Costs costs = round_costs();
  costs.queue_depth = 1'000;
  emulator::set_costs(costs);
  const TraceModel model = this->model([&] {
    for (uint64_t i = 0; i < 8; ++i) {
      const Step step(i);
      launch(200);
    }
  });
  // The queue is full from the 1,111th launch on. In the last step each call returns 10 us after
  // the one before, of which all but 4 medians of 0.6 us and the operator's 0.4 us are waiting.
  Selection last;
  last.first_step = last.last_step = 7;
  const Report ahead = queue_ahead(Scope(model, last));
  EXPECT_NEAR(std::stod(shown(ahead, "queue_ahead.raw")), 1.0, 0.001);
  EXPECT_NEAR(std::stod(shown(ahead, "queue_ahead.corrected")), 10 / 2.8, 0.001);
  EXPECT_FALSE(ahead["queue_ahead.raw"].is_reliable());
  EXPECT_THAT(ahead["queue_ahead.raw"].reason,
              HasSubstr("emulated: stated costs, not measurements"));
  Selection first;
  first.first_step = first.last_step = 0;
  EXPECT_NEAR(std::stod(shown(queue_ahead(Scope(model, first)), "queue_ahead.raw")), 10.0, 0.001);
}

TEST_F(EmulatedGpu, TwoStreamsWorkAtTheSameTime) {
  const notape::Stream other = new_stream(kCUDA);
  Tensor y = ones({4}, Device(kCUDA));
  const TraceModel model = this->model([&] {
    for (int i = 0; i < 10; ++i) {
      launch();
      const StreamGuard guard(other);
      y.neg_();
    }
  });
  // 20 kernels of 10 us, in pairs 1 us apart.
  EXPECT_EQ(figure(idle, model, "idle.busy"), "101.000");
}

TEST_F(EmulatedGpu, AStreamWaitsForAnother) {
  const notape::Stream other = new_stream(kCUDA);
  const TraceModel model = this->model([&] {
    launch();
    notape::Event event;
    event.record(current_stream(kCUDA));
    event.block(other);
    const StreamGuard guard(other);
    launch();
  });
  EXPECT_EQ(figure(idle, model, "idle.busy"), "20.000");
  EXPECT_EQ(figure(idle, model, "idle.window"), "20.000");
  ASSERT_EQ(model.syncs.size(), 1U);
  EXPECT_EQ(model.syncs[0].awaited_stream, model.gpu_ops[0].stream);
}

TEST_F(EmulatedGpu, TheFirstIterationPaysForItsMemory) {
  empty_cache(kCUDA);
  const TraceModel model = this->model([&] {
    for (uint64_t i = 0; i < 4; ++i) {
      const Step step(i);
      {
        const Tensor a = empty({1 << 20}, Device(kCUDA)), b = empty({1 << 20}, Device(kCUDA)),
                     c = empty({1 << 20}, Device(kCUDA));
        launch();
      }
      if (i == 0) empty_cache(kCUDA);
      launch(20);
    }
  });
  // Thrice 200, and thrice 30, the first after the kernel; again in the second step, which keeps
  // it.
  EXPECT_EQ(figure(alloc, model, "alloc.device_calls"), "6");
  EXPECT_EQ(figure(alloc, model, "alloc.free_calls"), "3");
  EXPECT_EQ(figure(alloc, model, "alloc.stall_cpu"), "1300.500");
  EXPECT_EQ(figure(alloc, model, "alloc.steady_from"), "2");
}

TEST_F(EmulatedGpu, CopiesTakeTheirBytesAndAWaitTakesTheRest) {
  const Tensor on_cpu = ones({250'000});  // 1 MB
  Tensor copied;
  const Recording recording = record([&] { copied = on_cpu.to(Device(kCUDA)).cpu(); });
  std::vector<int64_t> copies;
  for (const DeviceRow& row : recording.device.rows)
    if (row.kind == DeviceRowKind::Copy) copies.push_back(row.end_ns - row.begin_ns);
  EXPECT_THAT(copies, ::testing::ElementsAre(10'000 + 1'000'000 / 50, 10'000 + 1'000'000 / 50));
  EXPECT_EQ(copied.sum().item(), 250'000) << "and the values are right";
}

TEST_F(EmulatedGpu, AKernelTakesItsThreads) {
  emulator::set_costs({});
  const Tensor large = ones({1000, 1000}, Device(kCUDA));
  const Recording recording = record([&] { large.exp(); });
  for (const DeviceRow& row : recording.device.rows) {
    if (row.kind != DeviceRowKind::Kernel) continue;
    const int threads = row.grid[0] * row.block[0];
    EXPECT_GE(threads, 1'000'000 / 4);
    EXPECT_EQ(row.end_ns - row.begin_ns, 2'000 + threads / 400);
  }
}

/// A program with a graph: every call belongs to the operator or node that made it, and two runs
/// take the same time to the nanosecond.
TEST_F(EmulatedGpu, RecordsAProgramsOwnKernelsExactly) {
  emulator::set_costs({});
  const auto program = [] {
    const Tensor w = ones({8, 8}, TensorOptions(kCUDA).requires_grad(true));
    for (uint64_t i = 0; i < 3; ++i) {
      const Step step(i);
      const Range range("product");
      w.mm(w).tanh().sum().backward();
    }
  };
  program();
  const TraceModel first = model(program), second = model(program);
  EXPECT_EQ(first.device_kind, "emulated");
  EXPECT_GE(first.gpu_ops.size(), 15U);
  EXPECT_EQ(first.counts.unlinked, 0U);
  EXPECT_EQ(first.counts.early, 0U);
  int outside = 0;
  for (const ApiCall& call : first.calls) {
    if (!call.is_linked()) continue;
    outside += call.op == kNowhere;
    if (call.op != kNowhere) {
      EXPECT_EQ(call.external_id, first.ops[static_cast<std::size_t>(call.op)].external_id);
    }
  }
  EXPECT_EQ(outside, 4) << "ones() and the three gradients that backward() begins with";
  EXPECT_EQ(first.counts.gpu_annotations, 3U);
  ASSERT_EQ(first.ops.size(), second.ops.size());
  for (std::size_t i = 0; i < first.ops.size(); ++i)
    EXPECT_EQ(first.ops[i].time.begin - first.ops[0].time.begin,
              second.ops[i].time.begin - second.ops[0].time.begin);
}

}  // namespace
}  // namespace notape::trace
