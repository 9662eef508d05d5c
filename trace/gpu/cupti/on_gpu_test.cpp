// The real CUPTI with a real GPU: skipped without one. Each in a process of its own, because CUPTI
// is one per process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/factories.h"
#include "ops/elementwise.h"
#include "trace/gpu/gpu_session.h"
#include "trace/model/trace_model.h"
#include "trace/record/range.h"
#include "trace/record/recorder.h"
#include "trace/testing/recordings.h"
#include "trace/write/check_trace.h"
#include "trace/write/chrome_writer.h"

namespace notape::trace {
namespace {

/// Three steps on the GPU, as their file tells of them.
TraceModel record_on_gpu() {
  Recorder& recorder = Recorder::instance();
  GpuSession gpu(GpuSource::Gpu, recorder);
  std::cerr << gpu.line() << '\n';
  Recorder::Options options;
  options.in_front = &gpu.in_front();
  recorder.start(options);
  const Tensor x = ones({1000, 1000}, TensorOptions(kCUDA).requires_grad(true));
  for (uint64_t i = 0; i < 3; ++i) {
    const Step step(i);
    const Range range("forward and backward");
    (x * x).backward(ones({1000, 1000}, TensorOptions(kCUDA)));
  }
  gpu.finish();
  Recording recording = recorder.stop();
  recording.device = gpu.take();
  const testing::TemporaryFile file(".json");
  write_chrome_trace(recording, make_timeline(recording), file.path());
  EXPECT_THAT(check_trace(file.path()).complaints, ::testing::IsEmpty());
  return load_model(file.path());
}

void expect_all_joined(const TraceModel& model) {
  EXPECT_EQ(model.device_kind, "cuda");
  EXPECT_GE(model.gpu_ops.size(), 9U);
  EXPECT_EQ(model.counts.unlinked, 0U);
  EXPECT_EQ(model.counts.early, 0U) << "a kernel before its launch: the clocks differ";
  EXPECT_EQ(model.dropped, 0U);
  std::size_t in_ops = 0, launches = 0;
  for (const ApiCall& call : model.calls) {
    launches += call.launches_kernel;
    in_ops += call.launches_kernel && call.op != kNowhere;
  }
  EXPECT_GE(launches, 9U);
  EXPECT_EQ(in_ops, launches) << "thread ids do not join";
}

class CuptiOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_count(kCUDA) == 0) GTEST_SKIP() << "needs a GPU";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
  [[noreturn]] static void leave() { std::exit(HasFailure() ? 1 : 0); }
};

TEST_F(CuptiOnGpu, JoinsEveryKernelToItsOperator) {
  EXPECT_EXIT(
      {
        expect_all_joined(record_on_gpu());
        leave();
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(CuptiOnGpu, RecordsThreeTimesWithoutAKernelBeforeItsLaunch) {
  EXPECT_EXIT(
      {
        for (int session = 0; session < 3; ++session) expect_all_joined(record_on_gpu());
        leave();
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace notape::trace
