// Convolutions by cuDNN, which is the emulated one: the CPU's values, and what happens where cuDNN
// has no way, fails, or is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "autograd/autograd.h"
#include "autograd/modes/allow_tf32.h"
#include "cuda/cudnn/convolution_library.h"
#include "cuda/emulated/emulator.h"
#include "cuda/library/library.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

using emulator::Order;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Device kGpu(kCUDA);

struct Problem {
  std::vector<int64_t> image, filter;
  Pair stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;
};

/// The response, and the gradients of image, filter and bias.
variable_list all_of(const Problem& p, const Tensor& image, const Tensor& filter,
                     const Tensor& bias) {
  const Tensor x = image.detach().requires_grad_(), w = filter.detach().requires_grad_(),
               b = bias.detach().requires_grad_();
  const Tensor y = conv2d(x, w, b, p.stride, p.padding, p.dilation, p.groups);
  manual_seed(7);
  const Tensor incoming = randn(y.sizes(), kFloat64).to(y.device(), y.dtype());
  const variable_list gradients = autograd::grad({y}, {x, w, b}, {incoming});
  return {y.detach(), gradients[0], gradients[1], gradients[2]};
}

double error_of(ScalarType type) {
  return type == kFloat64 ? 1e-11 : type == kFloat32 ? 1e-4 : type == kFloat16 ? 4e-3 : 3e-2;
}

void expect_close(const Tensor& got, const Tensor& expected) {
  const double error = error_of(expected.dtype());
  EXPECT_TRUE(allclose(got.cpu().to(kFloat64), expected.to(kFloat64), error, error))
      << got.cpu().to_string() << "\nexpected\n"
      << expected.to_string();
}

class Cudnn : public ::testing::Test {
 protected:
  void TearDown() override {
    emulator::cudnn = {};
    emulator::set_order(Order::Eager);
    set_allow_tf32(false);
    device_interface(kGpu).synchronize(0);
    EXPECT_THAT(emulator::take_findings(), IsEmpty());
  }

  /// A problem that no other test has, so that its plans have to be made.
  static Problem new_problem() {
    static int64_t width = 20;
    return {{2, 2, 5, ++width}, {4, 2, 3, 3}, 1, 1};
  }
  /// How many launches the convolution takes, whose values are checked.
  static int launches_of(const Problem& p, ScalarType type = kFloat32) {
    manual_seed(1);
    const Tensor x = randn(p.image, type), w = randn(p.filter, type);
    const Tensor there = x.to(kGpu), filter_there = w.to(kGpu);
    emulator::take_counts();
    const Tensor y = conv2d(there, filter_there, {}, p.stride, p.padding, p.dilation, p.groups);
    const int launches = emulator::take_counts().launches;
    expect_close(y, conv2d(x, w, {}, p.stride, p.padding, p.dilation, p.groups));
    return launches;
  }
};
using CudnnDeathTest = Cudnn;

TEST_F(Cudnn, ComputesWhatTheCpuDoes) {
  const Problem problems[] = {
      {{2, 3, 7, 6}, {4, 3, 3, 3}},
      {{2, 3, 7, 6}, {4, 3, 3, 2}, {2, 3}, {1, 2}},
      {{1, 2, 9, 8}, {3, 2, 3, 3}, 1, 2, {2, 3}},
      {{2, 6, 5, 5}, {4, 3, 3, 3}, 1, 1, 1, 2},
      {{2, 4, 6, 5}, {8, 1, 3, 3}, 2, 1, 1, 4},
      {{3, 5, 4, 4}, {2, 5, 1, 1}},
      {{1, 1, 2, 2}, {1, 1, 1, 1}, 1, {3, 2}},
      {{2, 3, 1, 9}, {3, 3, 1, 4}, 1, {0, 2}},
      {{1, 2, 8, 8}, {2, 2, 2, 2}, 3},  // rows and columns in no window
  };
  for (const Problem& p : problems)
    for (const ScalarType type : {kFloat64, kFloat32, kFloat16, kBFloat16}) {
      SCOPED_TRACE(to_string(p.image) + " with " + to_string(p.filter) + ", " +
                   std::string(name_of(type)));
      manual_seed(1);
      const Tensor x = randn(p.image, type), w = randn(p.filter, type),
                   b = randn({p.filter[0]}, type);
      emulator::cudnn.algorithm = -1;
      const variable_list there = all_of(p, x.to(kGpu), w.to(kGpu), b.to(kGpu)),
                          here = all_of(p, x, w, b);
      EXPECT_NE(emulator::cudnn.algorithm, -1);
      for (std::size_t i = 0; i < here.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(there[i].dtype(), type);
        expect_close(there[i], here[i]);
      }
    }
}

TEST_F(Cudnn, IsOneLaunchForEachProduct) {
  for (const ScalarType type : {kFloat64, kFloat32, kFloat16, kBFloat16})
    EXPECT_EQ(launches_of(new_problem(), type), 1) << name_of(type);
}

/// Where no algorithm does both, or the bias does not lie as it should, it is a copy of its own.
TEST_F(Cudnn, AddsTheBiasInTheSameLaunch) {
  const auto launches = [](const std::function<Tensor(const Tensor&)>& view) {
    const Problem p = new_problem();
    for (const ScalarType type : {kFloat64, kFloat32, kFloat16, kBFloat16}) {
      const Tensor x = randn(p.image, type), w = randn(p.filter, type), b = randn({9}, type);
      const Tensor there = x.to(kGpu), filter = w.to(kGpu), bias = view(b.to(kGpu));
      emulator::take_counts();
      const Tensor y = conv2d(there, filter, bias, 1, 1);
      const int count = emulator::take_counts().launches;
      expect_close(y, conv2d(x, w, view(b), 1, 1));
      if (type == kBFloat16) return count;
    }
    return 0;
  };
  const auto dense = [](const Tensor& b) { return b.slice(0, 0, 4); };
  EXPECT_EQ(launches(dense), 1);
  EXPECT_EQ(launches([](const Tensor& b) { return b.slice(0, 1, 9, 2); }), 2);
  EXPECT_EQ(launches([](const Tensor& b) { return b.slice(0, 1, 5); }), 2);
  emulator::cudnn.refuses_bias = true;
  EXPECT_EQ(launches(dense), 2);
  emulator::cudnn = {.workspace = std::size_t{257} << 20};  // the other algorithm
  EXPECT_EQ(launches(dense), 2);
  EXPECT_EQ(emulator::cudnn.algorithm, 0);
}

TEST_F(Cudnn, ReadsOperandsHoweverTheyLie) {
  using Sizes = std::vector<int64_t>;
  struct Way {
    const char* name;
    std::function<Sizes(const Sizes&)> memory;
    std::function<Tensor(const Tensor&, const Sizes&)> view;
  };
  const Way ways[] = {
      {"channels last",
       [](const Sizes& s) {
         return Sizes{s[0], s[2], s[3], s[1]};
       },
       [](const Tensor& all, const Sizes&) {
         return all.permute({0, 3, 1, 2});
       }},
      {"columns first",
       [](const Sizes& s) {
         return Sizes{s[3], s[2], s[1], s[0]};
       },
       [](const Tensor& all, const Sizes&) {
         return all.permute({3, 2, 1, 0});
       }},
      {"gaps",
       [](const Sizes& s) {
         return Sizes{s[0], s[1], s[2], 2 * s[3]};
       },
       [](const Tensor& all, const Sizes& s) { return all.slice(3, 0, 2 * s[3], 2); }},
      {"one value",
       [](const Sizes&) {
         return Sizes{1, 1, 1, 1};
       },
       [](const Tensor& all, const Sizes& s) { return all.expand(s); }},
      {"not aligned", [](const Sizes& s) { return Sizes{s[0] * s[1] * s[2] * s[3] + 1}; },
       [](const Tensor& all, const Sizes& s) { return all.slice(0, 1, all.numel()).view(s); }},
  };
  const Problem p{{2, 4, 5, 6}, {3, 4, 3, 3}, 1, 1};
  for (const Way& way : ways) {
    SCOPED_TRACE(way.name);
    manual_seed(2);
    const Tensor x = randn(way.memory(p.image), kFloat64),
                 w = randn(way.memory(p.filter), kFloat64), b = randn({3}, kFloat64);
    const variable_list there = all_of(p, way.view(x.to(kGpu), p.image),
                                       way.view(w.to(kGpu), p.filter), b.to(kGpu)),
                        here = all_of(p, way.view(x, p.image), way.view(w, p.filter), b);
    for (std::size_t i = 0; i < here.size(); ++i) expect_close(there[i], here[i]);
  }
}

TEST_F(Cudnn, CopiesOperandsThatNoAlgorithmReads) {
  const Tensor x = randn({2, 5, 6, 4}).to(kGpu).permute({0, 3, 1, 2});
  const Tensor w = randn({3, 4, 3, 3}).to(kGpu).requires_grad_();
  emulator::take_counts();
  const Tensor y = conv2d(x, w);
  EXPECT_EQ(emulator::take_counts().launches, 1);
  EXPECT_EQ(emulator::cudnn.algorithm, 0);  // reads channels that are last
  y.sum().backward();
  EXPECT_EQ(emulator::cudnn.algorithm, 1);
}

TEST_F(Cudnn, RunsADeterministicAlgorithmInDeterministicMode) {
  emulator::cudnn.prefers_nondeterministic = true;
  const Problem p = new_problem();
  const Tensor x = randn(p.image).to(kGpu), w = randn(p.filter).to(kGpu);
  const auto algorithm_of_gradient = [&](bool of_filter) {
    const Tensor image = x.detach().requires_grad_(!of_filter),
                 filter = w.detach().requires_grad_(of_filter);
    conv2d(image, filter, {}, 1, 1).sum().backward();
    return emulator::cudnn.algorithm;
  };
  for (const bool of_filter : {false, true}) {
    EXPECT_EQ(algorithm_of_gradient(of_filter), 0);
    const DeterministicGuard guard;
    EXPECT_EQ(algorithm_of_gradient(of_filter), 1);
  }
}

TEST_F(Cudnn, TakesNoAlgorithmThatWantsTooMuchMemory) {
  emulator::cudnn.workspace = std::size_t{257} << 20;
  EXPECT_EQ(launches_of(new_problem()), 1);
  EXPECT_EQ(emulator::cudnn.algorithm, 0);
  emulator::cudnn.workspace = std::size_t{1} << 20;
  EXPECT_EQ(launches_of(new_problem()), 1);
  EXPECT_EQ(emulator::cudnn.algorithm, 1);
}

TEST_F(Cudnn, MultipliesInTf32OnlyIfAllowed) {
  const Problem p = new_problem();
  const double value = 1 + 0x1p-12;
  const Tensor x = full(p.image, value, kFloat32).to(kGpu);
  Tensor w = zeros(p.filter, kFloat32);
  w.select(2, 1).select(2, 1).select(1, 0).fill_(1);
  const Tensor filter = w.to(kGpu);
  const auto first = [&] { return conv2d(x, filter, {}, 1, 1).cpu().flatten()[0].item(); };
  EXPECT_EQ(first(), value);
  set_allow_tf32(true);
  EXPECT_EQ(first(), 1);
  set_allow_tf32(false);
  EXPECT_EQ(first(), value);
}

TEST_F(Cudnn, LeavesProblemsToComposedKernelsThatItDoesNotTake) {
  emulator::cudnn.offers = false;
  for (const ScalarType type : {kFloat64, kFloat32, kFloat16, kBFloat16})
    EXPECT_GT(launches_of(new_problem(), type), 1) << name_of(type);
  emulator::cudnn = {.refusals = 1};
  EXPECT_EQ(launches_of(new_problem()), 1);
  EXPECT_EQ(emulator::cudnn.algorithm, 0);  // the next one
  emulator::cudnn = {.refusals = 100};
  EXPECT_GT(launches_of(new_problem()), 1);
}

TEST_F(Cudnn, LeavesDepthwiseProblemsToOneLaunch) {
  emulator::cudnn.offers = false;
  const Problem problems[] = {
      {{2, 4, 6, 5}, {4, 1, 3, 3}, 1, 1, 1, 4},
      {{2, 4, 6, 5}, {8, 1, 3, 2}, {2, 3}, {1, 0}, {2, 1}, 4},
      {{1, 3, 8, 8}, {3, 1, 2, 2}, 3, 0, 1, 3},      // rows and columns in no window
      {{9, 2, 9, 9}, {2, 1, 3, 3}, 1, 2, 1, 2},      // sums by blocks
      {{1, 2, 190, 190}, {2, 1, 1, 1}, 1, 0, 1, 2},  // by several
      {{0, 2, 4, 4}, {2, 1, 3, 3}, 1, 1, 1, 2},
  };
  for (const Problem& p : problems)
    for (const ScalarType type : {kFloat64, kFloat32, kFloat16}) {
      if (p.image[2] > 100 && type != kFloat64) continue;
      SCOPED_TRACE(to_string(p.image) + " with " + to_string(p.filter) + ", " +
                   std::string(name_of(type)));
      manual_seed(1);
      const Tensor x = randn(p.image, type), w = randn(p.filter, type),
                   b = randn({p.filter[0]}, type);
      const variable_list there = all_of(p, x.to(kGpu), w.to(kGpu), b.to(kGpu)),
                          here = all_of(p, x, w, b);
      for (std::size_t i = 0; i < here.size(); ++i) {
        SCOPED_TRACE(i);
        expect_close(there[i], here[i]);
      }
      const Tensor turned = x.permute({3, 2, 1, 0}).contiguous().permute({3, 2, 1, 0});
      const variable_list apart =
          all_of(p, turned.to(kGpu), w.transpose(2, 3).contiguous().to(kGpu).transpose(2, 3),
                 stack({b, b}, 1).to(kGpu).select(1, 0));
      for (std::size_t i = 0; i < 3; ++i) expect_close(apart[i], here[i]);
    }
  EXPECT_EQ(launches_of(problems[1]), 1);
}

TEST_F(Cudnn, SaysInItsOwnWordsWhatHasFailed) {
  emulator::cudnn.breaks = true;
  try {
    launches_of(new_problem());
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("conv2d: cuDNN: CUDNN_STATUS_EXECUTION_FAILED: the GPU is on fire"));
    EXPECT_THAT(error.what(), HasSubstr("convolution_test.cpp"));
  }
  emulator::cudnn.breaks = false;
  EXPECT_EQ(launches_of(new_problem()), 1);
}

TEST_F(Cudnn, IsAbsentWhereItsLibraryIsMissingOrOfAnotherVersion) {
  const char* const file = "libnotape_cuda_emulated.so";
  const ConvolutionLibrary here = open_convolution_library(file);
  EXPECT_EQ(here.version, "9.19.0");
  EXPECT_NE(here.forward, nullptr);
  const ConvolutionLibrary missing = open_convolution_library("libnotape_missing.so");
  EXPECT_THAT(missing.version, HasSubstr("absent (libnotape_missing.so: cannot open"));
  EXPECT_EQ(missing.forward, nullptr);
  emulator::cudnn.version = 8902;
  const ConvolutionLibrary old = open_convolution_library(file);
  EXPECT_EQ(old.version, "absent (it says that it is version 8902, and this was built for 9)");
  EXPECT_EQ(old.forward, nullptr);
}

TEST_F(CudnnDeathTest, IsSwitchedOffByAVariable) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ::setenv("NOTAPE_NO_CUDNN", "1", 1);
        ::_exit(launches_of(new_problem()) > 1 && emulator::cudnn.algorithm == -1 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(Cudnn, ServesThreadsOnStreamsOfTheirOwn) {
  emulator::set_order(Order::Random);
  const Problem p = new_problem();
  manual_seed(3);
  const Tensor x = randn(p.image, kFloat64), w = randn(p.filter, kFloat64),
               b = randn({4}, kFloat64);
  const variable_list here = all_of(p, x, w, b);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const StreamGuard guard(new_stream(kGpu));
      for (int k = 0; k < 5; ++k) {
        const variable_list there = all_of(p, x.to(kGpu), w.to(kGpu), b.to(kGpu));
        for (std::size_t j = 0; j < here.size(); ++j) expect_close(there[j], here[j]);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Cudnn, QueuesOnTheCurrentStream) {
  const Problem p = new_problem();
  const Tensor x = ones(p.image, kFloat64).to(kGpu), w = ones(p.filter, kFloat64).to(kGpu);
  const Stream side = new_stream(kGpu);
  const auto on_side = [&](bool waits) {
    Event ready;
    const Tensor doubled = x + x;
    ready.record(current_stream(kGpu));
    const StreamGuard guard(side);
    if (waits) ready.block(side);
    record_stream(doubled, side);
    return conv2d(doubled, w, {}, 1, 1).cpu().flatten()[0].item();
  };
  EXPECT_EQ(on_side(true), 2 * 2 * 4);
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
  try {
    on_side(false);
    synchronize(kGpu);  // what the convolution reads may be written only now
  } catch (const DeviceError&) {
  }
  EXPECT_THAT(emulator::take_findings(),
              Contains(AllOf(HasSubstr("race: "), HasSubstr("a convolution"))));
}

}  // namespace
}  // namespace notape::cuda
