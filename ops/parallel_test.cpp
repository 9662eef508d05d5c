#include "ops/parallel.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

/// Some number of threads for one test.
class Parallel : public ::testing::Test {
 protected:
  Parallel() { set_num_threads(4); }
  ~Parallel() override { set_num_threads(before_); }

 private:
  int before_ = get_num_threads();
};

/// How often each of n numbers is visited.
std::vector<int> visits(int64_t n, int64_t grain) {
  std::vector<int> count(static_cast<std::size_t>(n));
  parallel_for(0, n, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) ++count[static_cast<std::size_t>(i)];
  });
  return count;
}

TEST_F(Parallel, VisitsEveryNumberOnce) {
  for (const int64_t n : {0, 1, 7, 8, 9, 1000, 1001}) {
    const std::vector<int> once(static_cast<std::size_t>(n), 1);
    for (int repeat = 0; repeat < 50; ++repeat) EXPECT_EQ(visits(n, 8), once) << n;
  }
}

TEST_F(Parallel, UsesOtherThreads) {
  std::atomic<int> arrived{0};
  parallel_for(0, 2, 1, [&](int64_t, int64_t) {  // each piece waits for the other
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

#ifdef __linux__
TEST_F(Parallel, LeavesItsThreadsEveryProcessor) {
  set_num_threads(2);
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // they sleep, and are woken
    std::atomic<int> arrived{0}, kept{0};
    parallel_for(0, 2, 1, [&](int64_t, int64_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
      cpu_set_t mine;
      kept += sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_EQUAL(&mine, &allowed);
    });
    EXPECT_EQ(kept, 2);
  }
}
#endif

TEST_F(Parallel, KeepsToThisThreadWhenOnlyOneIsAllowed) {
  set_num_threads(1);
  std::vector<int64_t> order;
  parallel_for(3, 10, 2, [&](int64_t first, int64_t last) {
    order.push_back(first);
    order.push_back(last);
  });
  EXPECT_EQ(order, (std::vector<int64_t>{3, 5, 5, 7, 7, 9, 9, 10}));
}

TEST_F(Parallel, RunsNestedCallsInPlace) {
  std::atomic<int> elsewhere{0};
  parallel_for(0, 8, 1, [&](int64_t, int64_t) {
    const auto outer = std::this_thread::get_id();
    parallel_for(0, 8, 1,
                 [&](int64_t, int64_t) { elsewhere += std::this_thread::get_id() != outer; });
  });
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(Parallel, PassesOnWhatAPieceThrows) {
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    const auto call = [] {
      parallel_for(0, 100, 1, [](int64_t first, int64_t) {
        if (first == 57) throw ValueError("piece {}", first);
      });
    };
    expect_error<ValueError>("piece 57", call);
    EXPECT_EQ(visits(100, 1), std::vector<int>(100, 1));
  }
}

TEST_F(Parallel, ServesSeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&wrong] {
      for (int repeat = 0; repeat < 100; ++repeat)
        wrong += visits(256, 8) != std::vector<int>(256, 1);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

#ifndef __SANITIZE_THREAD__  // which does not follow threads of a forked process
TEST_F(Parallel, WorksInAForkedProcess) {
  visits(100, 1);
  const pid_t child = fork();
  if (child == 0) _exit(visits(100, 1) == std::vector<int>(100, 1) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

TEST_F(Parallel, RefusesFewerThanOneThread) {
  expect_error<ValueError>("set_num_threads: expected a positive number, got 0",
                           [] { set_num_threads(0); });
  EXPECT_EQ(get_num_threads(), 4);
}

TEST_F(Parallel, LargeOperationsGiveTheSameBitsWithAnyNumberOfThreads) {
  const Tensor x = randn({3, 300, 301}), y = randn({301}), bits = x > 0;
  const std::vector<Tensor (*)(const Tensor&, const Tensor&)> operations = {
      [](const Tensor& a, const Tensor& b) { return tanh(a) * b; },
      [](const Tensor& a, const Tensor&) {
        return a.permute({2, 0, 1}).contiguous();
      },
      [](const Tensor& a, const Tensor& b) {
        return a.transpose(1, 2) + b.view({301, 1});
      },
      [](const Tensor& a, const Tensor&) { return sum(a); },
      [](const Tensor& a, const Tensor&) { return mean(a, {1}); },
      [](const Tensor& a, const Tensor&) {
        return mean(a, {1, 2});
      },
      [](const Tensor& a, const Tensor&) { return a.to(kFloat64).sin().slice(1, 3, 200); },
      [](const Tensor& a, const Tensor&) { return cumsum(a, 2); },
      [](const Tensor& a, const Tensor&) { return cumsum(a, 1); },
      [](const Tensor& a, const Tensor& b) { return mv(a[0], b); },
      [](const Tensor& a, const Tensor&) { return mv(a[0].t(), a[1].select(1, 0)); },
      [](const Tensor& a, const Tensor&) {
        const Tensor many = a.reshape({12, 75, 301});
        return bmm(many.transpose(1, 2), many);
      },
  };
  for (const auto operation : operations) {
    set_num_threads(1);
    const Tensor alone = operation(x, y).contiguous();
    set_num_threads(4);
    const Tensor together = operation(x, y).contiguous();
    EXPECT_TRUE(equal(alone, together)) << &operation - operations.data();
  }
}

}  // namespace
}  // namespace notape::testing
