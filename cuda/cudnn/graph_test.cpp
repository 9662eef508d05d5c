// Convolutions by cuDNN's graph API: NVIDIA's frontend over the emulated backend. Where cuDNN's
// calls list nothing, its graphs are what convolutions take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "autograd/autograd.h"
#include "autograd/modes/allow_tf32.h"
#include "autograd/tensor/device_interface.h"
#include "cuda/cudnn/plan.h"
#include "cuda/cudnn/right_engines.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const Device kGpuOfGraphs(kCUDA);

struct CudnnGraph : ::testing::Test {
  CudnnGraph() { emulator::cudnn = {.offers_graphs_only = true}; }
  void TearDown() override {
    emulator::cudnn = {};
    set_allow_tf32(false);
    device_interface(kGpuOfGraphs).synchronize(0);
    EXPECT_THAT(emulator::take_findings(), IsEmpty());
  }

  /// A problem that no other test has, so that its plans have to be made.
  struct Case {
    std::vector<int64_t> image, filter;
    Pair stride = 1, padding = 0, dilation = 1;
    int64_t groups = 1;
  };
  static Case new_case() {
    static int64_t width = 50;
    return {{2, 2, 5, ++width}, {4, 2, 3, 3}, 1, 1};
  }
  static std::string to_text(const Case& p) {
    const Operation op("test", SourceLocation());
    return problem_text(
        conv2d_problem(op, p.image, p.filter, p.stride, p.padding, p.dilation, p.groups));
  }
  /// The engine that ran, -1 without one.
  static int engine_of(const Case& p, const Tensor& x = {}) {
    emulator::cudnn.engine = -1;
    const Tensor image = x.defined() ? x : randn(p.image).to(kGpuOfGraphs);
    conv2d(image, randn(p.filter).to(kGpuOfGraphs), {}, p.stride, p.padding, p.dilation, p.groups);
    return emulator::cudnn.engine;
  }
  static variable_list all_of(const Case& p, const Tensor& image, const Tensor& filter,
                              const Tensor& bias) {
    const Tensor x = image.detach().requires_grad_(), w = filter.detach().requires_grad_(),
                 b = bias.detach().requires_grad_();
    const Tensor y = conv2d(x, w, b, p.stride, p.padding, p.dilation, p.groups);
    manual_seed(7);
    const Tensor incoming = randn(y.sizes(), kFloat64).to(y.device(), y.dtype());
    const variable_list gradients = autograd::grad({y}, {x, w, b}, {incoming});
    return {y.detach(), gradients[0], gradients[1], gradients[2]};
  }
};

TEST_F(CudnnGraph, ComputesWhatTheCpuDoesInBothLayouts) {
  const Case cases[] = {
      {{2, 3, 7, 6}, {4, 3, 3, 2}, {2, 3}, {1, 2}},
      {{1, 2, 9, 8}, {3, 2, 3, 3}, 1, 2, {2, 3}},
      {{2, 6, 5, 5}, {4, 3, 3, 3}, 1, 1, 1, 2},
      {{2, 4, 6, 5}, {8, 1, 3, 3}, 2, 1, 1, 4},
      {{1, 2, 8, 8}, {2, 2, 2, 2}, 3},  // rows and columns in no window
  };
  for (const Case& p : cases)
    for (const ScalarType type : {kFloat64, kFloat32, kFloat16, kBFloat16})
      for (const bool is_last : {false, true}) {
        SCOPED_TRACE(to_string(p.image) + " with " + to_string(p.filter) + ", " +
                     std::string(name_of(type)) + (is_last ? ", channels last" : ""));
        manual_seed(1);
        const auto laid = [&](const Tensor& x) {
          return is_last ? x.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2}) : x;
        };
        const Tensor x = randn(p.image, type), w = randn(p.filter, type),
                     b = randn({p.filter[0]}, type);
        const variable_list here = all_of(p, x, w, b);
        emulator::cudnn.engine = -1;
        const variable_list there =
            all_of(p, laid(x.to(kGpuOfGraphs)), w.to(kGpuOfGraphs), b.to(kGpuOfGraphs));
        EXPECT_NE(emulator::cudnn.engine, -1);
        EXPECT_EQ(emulator::cudnn.algorithm, -1);
        const double error = type == kFloat64   ? 1e-11
                             : type == kFloat32 ? 1e-4
                             : type == kFloat16 ? 4e-3
                                                : 3e-2;
        for (std::size_t i = 0; i < here.size(); ++i)
          EXPECT_TRUE(allclose(there[i].cpu().to(kFloat64), here[i].to(kFloat64), error, error))
              << i;
      }
}

TEST_F(CudnnGraph, IsTakenWhereTheCallsHaveNothing) {
  EXPECT_NE(engine_of(new_case()), -1);
  emulator::cudnn.offers_graphs_only = false;
  EXPECT_EQ(engine_of(new_case()), -1);
  emulator::cudnn.offers = false;
  EXPECT_EQ(engine_of(new_case()), -1);
}

TEST_F(CudnnGraph, HasOnePlanForAProblemAndOneLaunch) {
  const Case p = new_case();
  const Tensor x = randn(p.image).to(kGpuOfGraphs);
  const auto made = [&] {
    const std::size_t before = plan_counts().made;
    engine_of(p, x);
    return plan_counts().made - before;
  };
  EXPECT_EQ(made(), 2u);  // the calls' plan, which is empty, is kept, too
  emulator::take_counts();
  EXPECT_EQ(made(), 0u);
  EXPECT_EQ(emulator::take_counts().launches, 1);
}

/// Of the emulated engines the first uses tensor cores, which round float32 to TF32, and the second
/// is not deterministic.
TEST_F(CudnnGraph, FollowsNotesOfEngines) {
  EXPECT_EQ(engine_of(new_case()), 1);
  {
    const DeterministicGuard guard;
    EXPECT_EQ(engine_of(new_case()), 2);
  }
  const Case p = new_case();
  EXPECT_EQ(engine_of(p, randn(p.image).to(kGpuOfGraphs)), 1);
  set_allow_tf32(true);
  EXPECT_EQ(engine_of(p, randn(p.image).to(kGpuOfGraphs)), 0);
  EXPECT_EQ(engine_of(new_case()), 0);
  emulator::cudnn.workspace = std::size_t{257} << 20;
  EXPECT_EQ(engine_of(new_case()), 1);
}

TEST_F(CudnnGraph, LeavesOutEnginesThatCannotBeMadeReady) {
  Case p = new_case();
  const Tensor last = randn({p.image[0], p.image[2], p.image[3], p.image[1]})
                          .to(kGpuOfGraphs)
                          .permute({0, 3, 1, 2});
  EXPECT_EQ(engine_of(p, last), 2);  // engine 1 does not read this
}

TEST_F(CudnnGraph, IsComposedOrFailsAsTheCallsDo) {
  emulator::cudnn.refusals = 1;
  EXPECT_EQ(engine_of(new_case()), -1);
  EXPECT_EQ(emulator::cudnn.refusals, 0);
  emulator::cudnn.breaks = true;
  try {
    engine_of(new_case());
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("conv2d: cuDNN: CUDNN_STATUS_EXECUTION_FAILED: the GPU is on fire"));
  }
}

TEST_F(CudnnGraph, ServesThreadsOnStreamsOfTheirOwn) {
  const Case p = new_case();
  manual_seed(3);
  const Tensor x = randn(p.image), w = randn(p.filter), b = randn({4});
  const variable_list here = all_of(p, x, w, b);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      const StreamGuard guard(new_stream(kGpuOfGraphs));
      for (int k = 0; k < 3; ++k) {
        const variable_list there =
            all_of(p, x.to(kGpuOfGraphs), w.to(kGpuOfGraphs), b.to(kGpuOfGraphs));
        for (std::size_t j = 0; j < here.size(); ++j)
          EXPECT_TRUE(allclose(there[j].cpu(), here[j], 1e-4, 1e-4));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(CudnnGraph, ListsEachEngineOnceBesideTheCallsAndIsRestrictedByTheCensus) {
  emulator::cudnn = {};
  const ConvolutionLibrary library = open_convolution_library("libnotape_cuda_emulated.so");
  EXPECT_THAT(library.graphs, HasSubstr("1."));
  const Case p = new_case();
  const Operation op("test", SourceLocation());
  const Conv2dProblem problem =
      conv2d_problem(op, p.image, p.filter, p.stride, p.padding, p.dilation, p.groups);
  const auto drawn = [](const auto& sizes) {
    return randn(IntArrayRef(sizes.data(), 4)).to(kGpuOfGraphs);
  };
  const Operands all{drawn(problem.image), drawn(problem.filter), drawn(problem.response)};
  std::vector<std::string> refusals;
  std::set<std::string> names;
  for (const Engine& engine : library.engines(op, Product::Response, all, problem)) {
    names.insert(engine.name);
    if (engine.name.size() > 1) refusals.push_back(engine.refusal);
  }
  EXPECT_THAT(names,
              UnorderedElementsAre("0", "1", "7", "ConvFwd_eng0", "ConvFwd_eng1", "ConvFwd_eng2"));
  EXPECT_THAT(refusals, UnorderedElementsAre("rounds factors", "", ""));
  const Case other = new_case();  // whose plans are not made yet
  const std::string row =
      R"({"product": "forward", "dtype": "float32", "tf32": false, "problem": ")" + to_text(other) +
      R"(", "algorithm": ")";
  const RightEngines engines(R"({"cudnn": ")" + cudnn_version() + R"(", "rows": [)" + row +
                                 R"(1", "verdict": "fail"},)" + row +
                                 R"(ConvFwd_eng2", "verdict": "pass"}]})",
                             "a test's file");
  right_engines = &engines;
  EXPECT_EQ(engine_of(other), 2);
  right_engines = nullptr;
}

}  // namespace
}  // namespace notape::cuda
