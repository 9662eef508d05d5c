// From the mock of CUPTI to a file, and what our questions say of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "autograd/observer.h"
#include "trace/analysis/analyses.h"
#include "trace/gpu/cupti/collector.h"
#include "trace/gpu/cupti/correlation_observer.h"
#include "trace/record/event_number.h"
#include "trace/record/range.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/mock_activity.h"
#include "trace/testing/recordings.h"
#include "trace/write/check_trace.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/output_file.h"

namespace notape::trace::cupti {
namespace {

using nlohmann::json;
using testing::event;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MockActivity;
using testing::operation;
using testing::shown;
using testing::TemporaryFile;

/// A program on a thread of the host whose slices are written down, and a GPU beside it. Times
/// count from the beginning of the session, in ns.
class WrittenProgram {
 public:
  explicit WrittenProgram(MockActivity& api) : api_(api), collector_(api) {
    EXPECT_TRUE(collector_.start());
    zero_ = now_ns();
  }

  void step(uint64_t number, int64_t begin, int64_t length) {
    Event step = event(EventKind::Step, "ProfilerStep", zero_ + begin, zero_ + begin + length);
    step.number = number;
    step_ = static_cast<uint32_t>(events_.size());
    events_.push_back(step);
    api_.pop_external(ExternalKind::Range);
    api_.push_external(ExternalKind::Range, event_number(1, ranges_++));
  }
  void op(const char* name, int64_t begin, int64_t length) {
    api_.pop_external(ExternalKind::Operation);
    api_.push_external(ExternalKind::Operation, event_number(1, operations_++));
    events_.push_back(
        operation(name, zero_ + begin, zero_ + begin + length, operations_ - 1, 1, step_));
  }
  uint64_t call(const char* name, int64_t begin, int64_t length,
                DeviceRowKind kind = DeviceRowKind::RuntimeCall) {
    return api_.call(name, zero_ + begin, zero_ + begin + length, kind);
  }
  void kernel(uint64_t correlation, int64_t begin, int64_t length, int64_t stream = 7) {
    api_.kernel(correlation, zero_ + begin, zero_ + begin + length, stream);
  }
  int64_t zero() const { return zero_; }

  Recording finish() {
    api_.pop_external(ExternalKind::Operation);
    api_.pop_external(ExternalKind::Range);
    while (now_ns() < zero_ + 1'000'000) {
    }
    Recording recording = testing::recording_of({{1, gettid(), "main", events_, 0}});
    recording.started.monotonic_ns = zero_;
    recording.stopped.monotonic_ns = zero_ + 1'000'000;
    recording.device = collector_.stop();
    return recording;
  }

 private:
  MockActivity& api_;
  Collector collector_;
  int64_t zero_ = 0;
  std::vector<Event> events_;
  uint32_t step_ = kNoEvent, operations_ = 0, ranges_ = 0;
};

/// The three steps of testing::three_steps(), as CUPTI delivers them.
Recording three_recorded_steps(MockActivity& api) {
  WrittenProgram program(api);
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = i * 40'000;
    program.step(static_cast<uint64_t>(i + 1), at + 9'000, 30'500);
    program.op("mul", at + 10'000, 8'000);
    program.kernel(program.call("cudaLaunchKernel", at + 12'000, 4'500), at + 19'000, 20'250);
  }
  return program.finish();
}

struct Written {
  explicit Written(const Recording& recording) : file(".json") {
    write_chrome_trace(recording, make_timeline(recording), file.path());
    EXPECT_THAT(check_trace(file.path()).complaints, IsEmpty());
    text = json::parse(read_file(file.path()));
    model = load_model(file.path());
  }
  std::vector<json> of(std::string_view category) const {
    std::vector<json> found;
    for (const json& event : text["traceEvents"])
      if (event.contains("cat") && event["cat"] == category) found.push_back(event);
    return found;
  }
  Report operator()(Report (*question)(const Scope&)) const { return question(Scope(model, {})); }

  TemporaryFile file;
  json text;
  TraceModel model;
};

TEST(CuptiFile, HasTheFiguresThatAreComputedByHand) {
  MockActivity api;
  const Written file(three_recorded_steps(api));
  const Report waited = file(idle);
  EXPECT_EQ(shown(waited, "idle.window"), "100.250");
  EXPECT_EQ(shown(waited, "idle.busy"), "60.750");
  EXPECT_EQ(shown(waited, "idle.host_wait"), "34.500");
  EXPECT_EQ(shown(waited, "idle.launch_latency"), "5.000");
  const Report queued = file(queue);
  EXPECT_EQ(shown(queued, "queue.max"), "1");
  const Report ahead = queue_ahead(Scope(file.model, {}));
  EXPECT_EQ(shown(ahead, "queue_ahead.raw"), "3.1154");
  // Every answer is that of the same program written down as a trace.
  const TraceModel by_hand = testing::three_steps().model();
  for (Report (*question)(const Scope&) : {idle, queue, overlap, alloc, dispatch}) {
    const Report a = file(question), b = question(Scope(by_hand, {}));
    ASSERT_EQ(a.metrics.size(), b.metrics.size());
    for (std::size_t i = 0; i < a.metrics.size(); ++i) {
      EXPECT_EQ(a.metrics[i].value.shown(), b.metrics[i].value.shown()) << a.metrics[i].name;
      EXPECT_EQ(a.metrics[i].reason, b.metrics[i].reason) << a.metrics[i].name;
    }
  }
}

TEST(CuptiFile, SpellsItsRowsAsPyTorchDoes) {
  MockActivity api;
  const Written file(three_recorded_steps(api));
  const json op = file.of("cpu_op")[1], call = file.of("cuda_runtime")[1],
             kernel = file.of("kernel")[1];
  EXPECT_EQ(call["args"]["External id"], op["args"]["External id"]);
  EXPECT_EQ(kernel["args"]["External id"], op["args"]["External id"]);
  EXPECT_EQ(kernel["args"]["correlation"], call["args"]["correlation"]);
  EXPECT_TRUE(call["args"].contains("cbid"));
  EXPECT_EQ(kernel["pid"], 0);
  EXPECT_EQ(kernel["tid"], 7);
  for (const char* argument : {"device", "context", "stream", "queued", "registers per thread",
                               "shared memory", "grid", "block"})
    EXPECT_TRUE(kernel["args"].contains(argument)) << argument;
  const std::vector<json> flow = file.of("ac2g");
  ASSERT_EQ(flow.size(), 6U);
  EXPECT_EQ(flow[0]["ph"], "s");
  EXPECT_EQ(flow[0]["ts"], file.of("cuda_runtime")[0]["ts"]);
  EXPECT_EQ(flow[1]["ph"], "f");
  EXPECT_EQ(flow[1]["bp"], "e");
  EXPECT_EQ(flow[1]["id"], flow[0]["id"]);
  const json metadata = file.text["metadata"];
  EXPECT_EQ(metadata["device_kind"], "cuda");
  EXPECT_EQ(metadata["cupti"], "used: a mock of CUPTI");
  EXPECT_EQ(metadata["device"]["calls_left_out"].size(), 4U);
}

TEST(CuptiFile, SaysWhatWasLostSoThatNoTotalIsBelieved) {
  MockActivity api;
  WrittenProgram program(api);
  program.op("mul", 0, 10'000);
  const uint64_t correlation = program.call("cudaLaunchKernel", 1'000, 1'000);
  program.kernel(correlation, 3'000, 1'000);
  api.kernel(0, 0, 0);
  api.lose(1);
  program.call("cudaLaunchKernel", 5'000, 1'000);
  const Written file(program.finish());
  EXPECT_EQ(file.text["metadata"]["dropped"], 2);
  EXPECT_EQ(file.text["metadata"]["device"]["without_time"], 1);
  EXPECT_THAT(file(idle)["idle.busy"].reason, HasSubstr("2 dropped records"));
  for (const json& kernel : file.of("kernel")) EXPECT_GT(kernel["ts"], 0);
}

TEST(CuptiFile, SaysWhichThreadsDoNotJoin) {
  MockActivity api;
  api.thread_id_code = 1;
  WrittenProgram program(api);
  program.op("mul", 0, 10'000);
  program.kernel(program.call("cudaLaunchKernel", 1'000, 1'000), 3'000, 1'000);
  const Written file(program.finish());
  EXPECT_THAT(::testing::PrintToString(check(Scope(file.model, {})).anomalies),
              HasSubstr("their thread ids do not join"));
}

TEST(CuptiFile, ManyKernelsOfAGraphBelongToOneLaunch) {
  MockActivity api;
  WrittenProgram program(api);
  program.op("replay", 0, 10'000);
  const uint64_t correlation = program.call("cudaGraphLaunch", 1'000, 1'000);
  for (int64_t i = 0; i < 5; ++i) program.kernel(correlation, 3'000 + i * 100, 50);
  program.kernel(0, 4'000, 50);  // one that has no launch
  const Written file(program.finish());
  EXPECT_EQ(file.model.counts.unlinked, 1U);
  ASSERT_EQ(file.model.calls.size(), 1U);
  EXPECT_EQ(file.model.calls[0].gpu_ops, 5U);
  EXPECT_EQ(file.of("ac2g").size(), 2U);
  EXPECT_THAT(file(queue)["queue.max"].reason, HasSubstr("CUDA graphs present"));
}

TEST(CuptiFile, ClipsACallThatBeginsBeforeItsOp) {
  MockActivity api;
  WrittenProgram program(api);
  program.op("mul", 10'000, 5'000);
  program.kernel(program.call("cudaLaunchKernel", 9'800, 2'000), 20'000, 1'000);
  program.op("add", 20'000, 5'000);
  program.kernel(program.call("cudaLaunchKernel", 24'000, 1'300), 30'000, 1'000);
  const Written file(program.finish());
  const std::vector<json> calls = file.of("cuda_runtime");
  EXPECT_EQ(calls[0]["ts"], 10.0);
  EXPECT_EQ(calls[0]["dur"], 1.8);
  EXPECT_EQ(calls[1]["ts"], 24.0);
  EXPECT_EQ(calls[1]["dur"], 1.0);
  EXPECT_EQ(file.text["metadata"]["clipped"], 2);
  EXPECT_NE(file.model.calls[0].op, kNowhere);
}

TEST(CuptiFile, WaitsAreRowsOfTheirOwnAndOverheadIsNoDispatch) {
  MockActivity api;
  WrittenProgram program(api);
  program.op("mul", 0, 50'000);
  api.overhead(program.zero() + 500, program.zero() + 5'000'500);
  program.call("cuMemGetInfo", 1'000, 500, DeviceRowKind::DriverCall);
  program.kernel(program.call("cudaLaunchKernel", 2'000, 1'000), 3'000, 1'000);
  DeviceRow wait;
  wait.name = "Context Sync";
  wait.begin_ns = program.zero() + 3'500;
  wait.end_ns = program.zero() + 9'000;
  wait.stream = -1;
  wait.correlation = program.call("cudaDeviceSynchronize", 3'500, 5'500);
  api.wait(wait, 0);
  const Written file(program.finish());
  const json sync = file.of("cuda_sync")[0];
  EXPECT_GE(sync["tid"], 0);
  EXPECT_EQ(sync["args"]["stream"], -1);
  EXPECT_EQ(sync["args"]["cuda_sync_kind"], "Context Sync");
  EXPECT_EQ(shown(file(idle), "idle.busy"), "1.000");
  EXPECT_EQ(file.model.counts.overhead_rows, 1U);
  EXPECT_EQ(file.of("cuda_driver").size(), 1U);
  EXPECT_EQ(shown(file(dispatch), "dispatch.pre_launch.p50"), "2.000");
}

TEST(CuptiFile, JoinsCallsToTheOperatorsThatRan) {
  MockActivity api;
  Collector collector(api);
  Recorder& recorder = Recorder::instance();
  CorrelationObserver observer(recorder, api);
  Recorder::Options options;
  options.in_front = &observer;
  collector.start();
  recorder.start(options);
  const auto launch = [&] {
    const int64_t at = now_ns();
    while (now_ns() < at + 2'000) {
    }
    api.kernel(api.call("cudaLaunchKernel", at, at + 1'000), at + 5'000, at + 6'000);
  };
  {
    const Step step(0);
    const Range range("forward");
    const Operation outer("outer", SourceLocation::current());
    launch();
    {
      const Operation inner("inner", SourceLocation::current());
      launch();
    }
    launch();
  }
  launch();  // outside of every op
  Recording recording = recorder.stop();
  recording.device = collector.stop();
  const Written file(recording);
  const std::vector<json> calls = file.of("cuda_runtime"), ops = file.of("cpu_op");
  ASSERT_EQ(calls.size(), 4U);
  ASSERT_EQ(ops.size(), 2U);
  const auto id = [](const json& row) { return row["args"].value("External id", 0); };
  EXPECT_EQ(id(calls[0]), id(ops[0]));
  EXPECT_EQ(id(calls[1]), id(ops[1]));
  EXPECT_EQ(id(calls[2]), id(ops[0]));
  EXPECT_EQ(id(calls[3]), 0);
  EXPECT_EQ(ops[1]["name"], "inner");
  // A range as its work lies on the GPU, from the first kernel to the last. Steps are host time.
  const std::vector<json> ranges = file.of("gpu_user_annotation"), kernels = file.of("kernel");
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0]["name"], "forward");
  EXPECT_EQ(ranges[0]["ts"], kernels[0]["ts"]);
  EXPECT_EQ(ranges[0]["tid"], kernels[0]["tid"]);
  EXPECT_NEAR(ranges[0]["ts"].get<double>() + ranges[0]["dur"].get<double>(),
              kernels[2]["ts"].get<double>() + kernels[2]["dur"].get<double>(), 1e-6);
  EXPECT_FALSE(ranges[0]["args"].contains("stream"));
}

}  // namespace
}  // namespace notape::trace::cupti
