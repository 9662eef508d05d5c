// WorkerPool: the threads that compute nodes of backward runs beside the callers of those runs.
// They are started when a run first has more to do than its caller can do at once, and are gone
// while a process forks.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace notape {

class ParallelRun;

/// Engine::set_num_threads.
extern constinit std::atomic<int> engine_threads;

class WorkerPool {
 public:
  using Guard = std::unique_lock<std::mutex>;

  /// Never destroyed: its threads may outlive static objects.
  static WorkerPool& instance();

  /// One lock for the pool and for the schedules of all runs, held for a few instructions at a
  /// time.
  Guard lock() { return Guard(mutex_); }

  // With the lock held:
  /// From now on workers may look for nodes in the run. Runs of one thread nest.
  void enlist(ParallelRun& run) { runs_.push_back(&run); }
  void dismiss(ParallelRun& run) { std::erase(runs_, &run); }
  /// A run has a node that a worker could take.
  void call();
  bool is_stopping() const { return stopping_ > 0; }

  /// Ends all workers, as soon as they have finished their nodes; without the lock.
  void stop();

 private:
  WorkerPool();
  void serve();
  void stop(Guard& guard);
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  std::mutex mutex_;
  std::condition_variable called_;
  std::vector<ParallelRun*> runs_;
  std::vector<std::thread> workers_;
  int stopping_ = 0;  // how many threads wait for the workers to end
};

}  // namespace notape
