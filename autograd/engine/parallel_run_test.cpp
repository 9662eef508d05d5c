// Engine::set_num_threads: nodes of one run on several threads, and nobody can tell from results.
#include <functional>
#include <thread>

#include "autograd/testing/engine_threads.h"
#include "autograd/testing/random_graph.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;

struct Failure : std::runtime_error {
  using runtime_error::runtime_error;
};

struct Fails : Function<Fails> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, int number) {
    ctx->saved_data["number"] = number;
    return x * 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list) {
    throw Failure(std::to_string(ctx->saved_data["number"].toInt()));
  }
};

/// `program` must return the same bits with one, two and eight engine threads.
void expect_same_bits(const std::function<Bits(uint64_t seed)>& program, uint64_t seeds) {
  const NothingLeaks guard;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Bits expected = program(seed);
    ASSERT_FALSE(expected.empty());
    for (const int threads : {2, 8}) {
      const EngineThreads scope(threads);
      ASSERT_EQ(program(seed), expected) << "seed " << seed << ", " << threads << " threads";
    }
  }
}

TEST(ParallelRun, GivesTheSameBitsForEveryNumberOfThreads) {
  expect_same_bits(
      [](uint64_t seed) {
        RandomGraph graph(seed, false);
        graph.loss().backward();
        return graph.result();
      },
      60);
}

TEST(ParallelRun, GivesTheSameBitsToHooksAndFunctionsOfUsersInTheSameOrder) {
  expect_same_bits(
      [](uint64_t seed) {
        RandomGraph graph(seed, true);
        graph.loss().backward();
        return graph.result();
      },
      60);
}

TEST(ParallelRun, MayBeRepeatedWithARetainedGraph) {
  expect_same_bits(
      [](uint64_t seed) {
        RandomGraph graph(seed, seed % 2 == 0);
        const Tensor loss = graph.loss();
        for (int i = 0; i < 3; ++i) loss.backward({}, true);
        return graph.result();
      },
      20);
}

TEST(ParallelRun, GivesTheSameBitsToSecondDerivatives) {
  expect_same_bits(
      [](uint64_t seed) {
        RandomGraph graph(seed, false);
        const auto first = grad({graph.loss()}, graph.leaves, {}, {}, true, true);
        Tensor sum;
        for (const Tensor& one : first)
          if (one.defined()) sum = sum.defined() ? sum + (one * one).sum() : (one * one).sum();
        sum.backward();
        Bits bits = graph.result();
        for (const Tensor& one : first)
          if (one.defined()) append_bits(bits, one);
        return bits;
      },
      30);
}

TEST(ParallelRun, ThrowsWhatTheEarliestFailingNodeThrows) {
  const NothingLeaks guard;
  const auto failure_of = [](uint64_t seed) -> std::string {
    RandomGraph graph(seed, seed % 2 == 0);
    Generator random(seed);
    Tensor loss = graph.loss();
    for (int i = 0; i < 3; ++i) loss = loss + Fails::apply(graph.pick(random), i).sum();
    // Gradients for this leaf no longer fit it.
    Tensor changed = graph.leaves[random.below(4)];
    changed.set_data(zeros({2}, kFloat64));
    try {
      loss.backward();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing";
  };
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const std::string expected = failure_of(seed);
    EXPECT_NE(expected, "nothing");
    for (const int threads : {2, 8}) {
      const EngineThreads scope(threads);
      EXPECT_EQ(failure_of(seed), expected);
    }
  }
}

TEST(ParallelRun, WaitsWithAUsersFunctionUntilAllEarlierNodesHaveRun) {
  const EngineThreads scope(4);
  for (int round = 0; round < 50; ++round) {
    std::vector<Tensor> leaves;
    Tensor z = zeros({}, kFloat64);
    Tensor hooked;
    for (int i = 0; i < 12; ++i) {
      leaves.push_back(leaf({1, 2}));
      const Tensor part = leaves.back().tanh();
      if (i == 5) hooked = part;
      z = z + part.sum();
    }
    int updated = 0;
    hooked.register_hook([&](const Tensor&) {
      for (const Tensor& one : leaves) updated += one.grad().defined();
    });
    z.backward();
    EXPECT_EQ(updated, 6);  // of the six later ones
  }
}

TEST(ParallelRun, KeepsAwayFromASavedGradientBuffer) {
  for (const int threads : {1, 4}) {
    const EngineThreads scope(threads);
    for (int round = 0; round < 20; ++round) {
      const Tensor x = leaf({1, 2}), w = leaf({3, 4});
      x.sum().backward();
      // The node of the product, an earlier operation, reads a buffer that is about to be written.
      const Tensor product = w * x.grad();
      const Tensor z = product.sum() + (x * 5).sum();
      expect_error<SavedTensorModified>("modified by an inplace operation", [&] { z.backward(); });
    }
  }
}

TEST(ParallelRun, CarriesTheStateOfTheCaller) {
  const EngineThreads scope(4);
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const AliasPolicyGuard policy(AliasPolicy::Guarded);
  const Tensor z = x.tanh().sum() + y.tanh().sum();
  const Tensor slope = grad({z}, {x}, {}, {}, true)[0];
  EXPECT_TRUE(slope.requires_grad());
  slope.sum().backward();
  EXPECT_TRUE(x.grad().defined());
}

TEST(ParallelRun, CallsSavedTensorHooksOnTheThreadOfTheCaller) {
  const EngineThreads scope(4);
  int packed = 0, unpacked = 0;
  const auto caller = std::this_thread::get_id();
  const SavedTensorHooksGuard hooks(
      [&](const Tensor& value) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        ++packed;
        return std::any(value);
      },
      [&](const std::any& value) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        ++unpacked;
        return std::any_cast<Tensor>(value);
      });
  std::vector<Tensor> leaves;
  Tensor z = zeros({}, kFloat64);
  for (int i = 0; i < 10; ++i) {
    leaves.push_back(leaf({1, 2}));
    z = z + leaves.back().tanh().sum();
  }
  EXPECT_EQ(packed, 10);
  const auto first = grad({z}, leaves, {}, {}, true);
  EXPECT_GT(packed, 10) << "what is recorded now";
  EXPECT_EQ(unpacked, 10);
  first[0].sum().backward();
}

TEST(ParallelRun, StagesLeafUpdatesUnderTheAtomicGuard) {
  const EngineThreads scope(4);
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const AtomicBackwardGuard atomic;
  const Tensor z = Fails::apply(x * 1, 7).sum() + y.tanh().sum();
  EXPECT_THROW(z.backward({}, true), Failure);
  EXPECT_FALSE(y.grad().defined());
  (x.tanh().sum() + y.tanh().sum()).backward();
  EXPECT_TRUE(x.grad().defined() && y.grad().defined());
}

}  // namespace
}  // namespace notape::testing
