// Threads of the CPU as a team (ops/reduce/team.h): what blocks of a GPU run, without a GPU.
#pragma once
#include <barrier>
#include <thread>
#include <vector>

#include "ops/reduce/team.h"

namespace notape::cuda::testing {

class ThreadTeam {
 public:
  ThreadTeam(int rank, int size, std::barrier<>& barrier, void* scratch)
      : rank_(rank), size_(size), barrier_(barrier), scratch_(scratch) {}
  int rank() const { return rank_; }
  int size() const { return size_; }
  void sync() const { barrier_.arrive_and_wait(); }
  void* scratch() const { return scratch_; }

 private:
  int rank_, size_;
  std::barrier<>& barrier_;
  void* scratch_;
};

/// work(slice, team) for each of `count` slices by one team of `size` threads.
template <typename Work>
void run_by_team(const Work& work, int64_t count, int size) {
  std::barrier<> barrier(size);
  std::vector<double> scratch(static_cast<std::size_t>(size * kScratch) / sizeof(double));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      const ThreadTeam team(rank, size, barrier, scratch.data());
      for (int64_t i = 0; i < count; ++i) work(i, team);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace notape::cuda::testing
