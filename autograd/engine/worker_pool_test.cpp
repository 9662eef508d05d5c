// The threads of Engine::set_num_threads: shared, gone while the process forks, and back after.
#include "autograd/engine/worker_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include "autograd/testing/engine_threads.h"
#include "autograd/testing/random_graph.h"

namespace notape::testing {
namespace {

TEST(WorkerPool, OfSeveralThreadsShareTheWorkers) {
  const EngineThreads scope(3);
  std::vector<Bits> expected, seen(12);
  for (uint64_t seed = 0; seed < seen.size(); ++seed) {
    RandomGraph graph(seed, true);
    graph.loss().backward();
    expected.push_back(graph.result());
  }
  std::vector<std::thread> users;
  for (std::size_t user = 0; user < 3; ++user)
    users.emplace_back([&, user] {
      for (std::size_t seed = user; seed < seen.size(); seed += 3) {
        RandomGraph graph(seed, true);
        graph.loss().backward();
        seen[seed] = graph.result();
      }
    });
  for (std::thread& user : users) user.join();
  EXPECT_EQ(seen, expected);
}

TEST(WorkerPool, WorksOnBothSidesOfAFork) {
  const EngineThreads scope(4);
  const auto works = [] {
    RandomGraph graph(3, true);
    graph.loss().backward();
    return graph.result();
  };
  const Bits expected = works();
  const pid_t child = fork();
  if (child == 0) _exit(works() == expected ? 0 : 1);
  EXPECT_EQ(works(), expected);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(WorkerPool, MayForkInAHook) {
  const EngineThreads scope(4);
  const Tensor x = leaf({1, 2}), h = x.tanh();
  pid_t child = -1;
  h.register_hook([&](const Tensor&) { child = fork(); });
  (h.sum() + x.sigmoid().sum() + (x * 2).sum()).backward();
  if (child == 0) _exit(x.grad().defined() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(WorkerPool, MayChangeTheNumberOfThreadsInAHook) {
  const EngineThreads scope(4);
  const Tensor x = leaf({1, 2}), h = x.tanh();
  h.register_hook([](const Tensor&) { Engine::set_num_threads(2); });
  (h.sum() + x.sigmoid().sum()).backward();
  EXPECT_EQ(Engine::get_num_threads(), 2);
  EXPECT_TRUE(x.grad().defined());
}

TEST(WorkerPool, NeedsAPositiveNumberOfThreads) {
  for (const int count : {0, -1})
    expect_error<ValueError>("expected a positive number, got",
                             [&] { Engine::set_num_threads(count); });
  EXPECT_EQ(Engine::get_num_threads(), 1);
}

}  // namespace
}  // namespace notape::testing
