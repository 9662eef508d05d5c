// Backward from several threads: clean under the thread sanitizer, and exact.
#include <atomic>
#include <barrier>
#include <functional>
#include <thread>

#include "autograd/function.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

void in_threads(int count, const std::function<void(int)>& program) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(program, i);
  for (std::thread& thread : threads) thread.join();
}

struct RandomProgram {
  Tensor x, result;

  std::vector<double> gradient() {
    result.backward();
    result.reset();
    return values(x.grad());
  }
};

RandomProgram random_program(const Tensor& shared, uint64_t seed) {
  Generator random(seed);
  const Tensor x = full({8}, random.uniform(), kFloat64).requires_grad_();
  Tensor y = x * shared;
  for (int i = 0; i < 12; ++i) {
    switch (random.below(5)) {
      case 0:
        y = y.tanh() * 1;
        break;
      case 1:
        y = y * x;
        break;
      case 2:
        y = y + shared;
        break;
      case 3:
        y.mul_(0.5);
        break;
      default:
        as_strided(y, {2}, {3}, 1).add_(1);
        y = y * 1;
    }
  }
  return {x, y.sum()};
}

// Forward in one thread, backward in another, while others do both.
TEST(Threads, A08_IndependentGraphsOverSharedLeavesEqualTheSerialResult) {
  const Tensor shared = linspace(0.1, 0.8, 8, kFloat64);
  constexpr std::size_t kThreads = 8, kPrograms = 1000;
  std::vector<std::vector<double>> serial, parallel(kThreads * kPrograms);
  for (uint64_t i = 0; i < kThreads * kPrograms; ++i)
    serial.push_back(random_program(shared, i).gradient());
  std::vector<RandomProgram> programs(kThreads * kPrograms);
  const auto for_every_program = [&](int first, const std::function<void(std::size_t)>& visit) {
    const std::size_t begin = static_cast<std::size_t>(first) % kThreads * kPrograms;
    for (std::size_t i = begin; i < begin + kPrograms; ++i) visit(i);
  };
  std::barrier half_done(kThreads);
  in_threads(kThreads, [&](int thread) {
    if (thread % 2 == 0)
      for_every_program(thread, [&](std::size_t i) { programs[i] = random_program(shared, i); });
    half_done.arrive_and_wait();
    if (thread % 2 == 1) {
      for_every_program(thread, [&](std::size_t i) { programs[i] = random_program(shared, i); });
      for_every_program(thread + 1, [&](std::size_t i) { parallel[i] = programs[i].gradient(); });
    }
    half_done.arrive_and_wait();
    if (thread % 2 == 0)
      for_every_program(thread + 1, [&](std::size_t i) { parallel[i] = programs[i].gradient(); });
  });
  EXPECT_EQ(serial, parallel);
}

TEST(Threads, ForwardHereBackwardThere) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  Tensor y = (x * x).tanh().sum();
  in_threads(1, [&](int) {
    y.backward();
    y.reset();
  });
  EXPECT_TRUE(x.grad().defined());
}

TEST(Threads, TenOfThemAccumulateIntoOneLeafExactlyTenTimes) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = leaf({1, 2, 3});
    in_threads(10, [&](int) { (x * constant({1, 10, 100})).sum().backward(); });
    expect_values(x.grad(), {10, 100, 1000});
  }
}

TEST(Threads, MayShareASubgraphThatIsRetained) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = leaf({1, 2});
    const Tensor shared = (x * x).tanh() * x;
    const std::vector<double> one = values(autograd::grad({shared.sum()}, {x}, {}, true)[0]);
    std::atomic<int> right{0};
    in_threads(4, [&](int) {
      for (int i = 0; i < 5; ++i)
        right += values(autograd::grad({(shared * 2).sum()}, {x}, {}, true)[0]) ==
                 std::vector<double>{2 * one[0], 2 * one[1]};
    });
    EXPECT_EQ(right, 20);
    in_threads(4, [&](int) { shared.sum().backward({}, true); });
    expect_values(x.grad(), {4 * one[0], 4 * one[1]}, 1e-15);
  }
}

TEST(Threads, EachHasItsOwnModes) {
  const NoGradGuard no_grad;
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  in_threads(1, [](int) {
    EXPECT_TRUE(GradMode::is_enabled());
    Tensor x = constant({1, 2});
    const Tensor view = x.view({2, 1});
    x.add_(1);
  });
}

TEST(Threads, HandlesMayBeDroppedAnywhere) {
  const NothingLeaks guard;
  std::vector<Tensor> graphs;
  for (int i = 0; i < 100; ++i) {
    const Tensor x = leaf({1, 2});
    graphs.push_back((x * x).tanh().sum());
  }
  std::vector<Tensor> copies = graphs;
  in_threads(2, [&](int i) { (i == 0 ? graphs : copies).clear(); });
}

TEST(Threads, TwoUsersOfOneLeafMakeOneAccumulator) {
  for (int round = 0; round < 50; ++round) {
    const Tensor x = leaf({1, 2});
    const Node* seen[4] = {};
    in_threads(4, [&](int i) { seen[i] = (x * 2).grad_fn()->next_edge(0).function.get(); });
    for (const Node* node : seen) EXPECT_EQ(node, seen[0]);
  }
}

TEST(Threads, ALeafMayDieWhileAnotherThreadAccumulates) {
  const NothingLeaks guard;
  for (int round = 0; round < 50; ++round) {
    Tensor x = leaf({1, 2});
    const Tensor y = (x * 2).sum();
    in_threads(2, [&](int i) {
      if (i == 0)
        y.backward();
      else
        x.reset();
    });
  }
}

}  // namespace
}  // namespace notape::testing
