// A stream that a program captures for a CUDA graph: what allocates nothing goes into the graph,
// and everything that a replay would get wrong is refused, in one line.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"
#include "ops/optimize.h"

namespace notape {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Device kCapturing(kCUDA);

struct Capture : ::testing::Test {
  Stream side = new_stream(kCapturing);
  Tensor x = ones({4}).to(kCapturing), y = full({4}, 3.0).to(kCapturing);

  void SetUp() override { synchronize(kCapturing); }
  void TearDown() override {
    synchronize(kCapturing);
    EXPECT_THAT(emulator::take_findings(), IsEmpty());
  }
  cudaGraph_t capture(const std::function<void()>& work) const {
    const auto stream = static_cast<cudaStream_t>(side.handle);
    cudaGraph_t graph = nullptr;
    const StreamGuard guard(side);
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    work();
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    return graph;
  }
};

TEST_F(Capture, WorkThatAllocatesNothingIsReplayed) {
  const NoGradGuard no_grad;
  cudaGraphExec_t graph = nullptr;
  cudaGraphInstantiate(&graph, capture([&] { x.add_(y).mul_(2.0); }));
  EXPECT_EQ(x.sum().item(), 4) << "nothing was done yet";
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(graph, static_cast<cudaStream_t>(side.handle));
  side.synchronize();
  EXPECT_EQ(x[0].item(), ((1 + 3) * 2 + 3) * 2);
}

TEST_F(Capture, RefusesWhatAReplayWouldGetWrong) {
  const Tensor here = ones({4}), gradient = ones({4}).to(kCapturing), pinned = here.pin_memory();
  const NoGradGuard no_grad;
  const struct {
    const char* what;
    std::function<void()> call;
  } refused[] = {
      {"memory", [&] { x + y; }},
      {"memory",
       [&] {
         mm(x.view({2, 2}), y.view({2, 2}));
       }},
      {"memory", [&] { dropout(x, 0.5, true); }},
      {"memory", [&] { x.uniform_(); }},  // that they are drawn into
      {"a copy that waits", [&] { x[0].item(); }},
      {"a copy that waits", [&] { here.copy_(x); }},
      {"a copy of numbers that the CPU has now", [&] { x.copy_(here); }},
      {"a copy of numbers that the CPU has now", [&] { x.copy_(pinned, true); }},
      {"a wait", [&] { synchronize(kCapturing); }},
      {"a wait", [&] { side.synchronize(); }},
      {"an optimizer's step", [&] { multi_tensor_sgd_({x}, {gradient}, {}, {.lr = 1}, {1}); }},
  };
  for (const auto& one : refused) {
    capture([&] {
      try {
        one.call();
        ADD_FAILURE() << one.what;
      } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("a stream that is being captured for a CUDA graph "
                                            "cannot be used for " +
                                            std::string(one.what)));
        EXPECT_THAT(error.what_without_backtrace(), Not(HasSubstr("\n")));
      }
    });
    one.call();  // and outside it works
  }
}

}  // namespace
}  // namespace notape
