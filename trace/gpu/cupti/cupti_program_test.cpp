// Programs with NOTAPE_TRACE on a GPU, against the mock of CUPTI: rows from the first use on.
#include "trace/gpu/cupti/cupti_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "autograd/tensor/factories.h"
#include "ops/ops.h"
#include "trace/model/trace_model.h"
#include "trace/record/clock.h"
#include "trace/testing/mock_activity.h"
#include "trace/testing/recordings.h"
#include "trace/write/check_trace.h"
#include "trace/write/trace_stream.h"

namespace notape::trace::cupti {
namespace {

using ::testing::IsEmpty;
using testing::MockActivity;
using ::testing::StartsWith;

bool is_in_use = false;
int attempts = 0;

struct GpuProgram : ::testing::Test {
  void SetUp() override {
    is_in_use = false;
    attempts = 0;
  }

  /// The file of a program that calls `work` within operators, when the GPU is not in use and when
  /// it is.
  TraceModel record(const std::function<void()>& work) {
    Recorder::Options options;
    options.in_front = &program;
    const testing::TemporaryFile file(".json");
    TraceStream stream(file.path(), options, [&] { return program.finish(); });
    const auto in_operator = [&] {
      const Operation op("user_operator", SourceLocation::current());
      work();
    };
    in_operator();
    EXPECT_EQ(attempts, 0);
    is_in_use = true;
    for (int i = 0; i < 3; ++i) in_operator();
    EXPECT_EQ(attempts, 1);
    stream.finish();
    EXPECT_THAT(check_trace(file.path()).complaints, IsEmpty());
    return load_model(file.path());
  }

  MockActivity api;
  Collector collector{api};
  CuptiProgram program{
      Recorder::instance(), collector, {[]() noexcept { return is_in_use; }, [] { ++attempts; }}};
};

TEST_F(GpuProgram, HasTheRowsOfItsGpuFromTheFirstUseOn) {
  const TraceModel model = record([&] {
    const int64_t at = now_ns();
    const uint64_t correlation = api.call("cudaLaunchKernel", at, at + 100);
    while (now_ns() < at + 200) {
    }
    api.kernel(correlation, at + 300, at + 500);
  });
  EXPECT_EQ(model.device_kind, "cuda");
  EXPECT_EQ(model.gpu_ops.size(), 3U);
  EXPECT_EQ(model.counts.unlinked, 0U);
  EXPECT_EQ(model.counts.early, 0U);
  std::size_t in_operators = 0;
  for (const ApiCall& call : model.calls)
    in_operators += call.launches_kernel && call.op != kNowhere;
  EXPECT_EQ(in_operators, 3U) << "found by time";
}

TEST_F(GpuProgram, GoesOnWithoutCuptiAndTheFileSaysWhy) {
  api.reason_unavailable = "no libcupti.so.13";
  const TraceModel model = record([] {});
  EXPECT_THAT(model.gpu_ops, IsEmpty());
  EXPECT_EQ(collector.state(), "not used: no libcupti.so.13");
  EXPECT_THAT(api.take_log(), IsEmpty());
}

TEST_F(GpuProgram, KeepsWhatWasStoppedBeforeTheEnd) {
  is_in_use = true;
  program.operator_begin("x", 0);
  const int64_t at = now_ns();
  api.kernel(api.call("cudaLaunchKernel", at, at + 100), at + 300, at + 500);
  program.stop();
  program.stop();
  program.operator_begin("y", 0);
  EXPECT_FALSE(collector.is_recording());
  const DeviceRecording recording = program.finish();
  EXPECT_EQ(recording.rows.size(), 2U);
  EXPECT_THAT(recording.state, StartsWith("used"));
}

TEST_F(GpuProgram, ThatUsesNoGpuTouchesNothing) {
  program.operator_begin("x", 0);
  EXPECT_EQ(program.finish().state, "not used");
  is_in_use = true;
  program.operator_begin("y", 0);
  EXPECT_THAT(api.take_log(), IsEmpty());
}

}  // namespace
}  // namespace notape::trace::cupti
