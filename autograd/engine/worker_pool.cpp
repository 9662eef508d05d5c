#include "autograd/engine/worker_pool.h"

#include <pthread.h>

#include <utility>

#include "autograd/engine/parallel_run.h"

namespace notape {

constinit std::atomic<int> engine_threads{1};

WorkerPool& WorkerPool::instance() {
  static auto* pool = new WorkerPool;
  return *pool;
}

WorkerPool::WorkerPool() { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

void WorkerPool::call() {
  const auto wanted = static_cast<std::size_t>(engine_threads.load(std::memory_order_relaxed) - 1);
  if (workers_.size() < wanted && !is_stopping()) {
    try {
      workers_.emplace_back([this] { serve(); });
    } catch (const std::exception&) {
      // fewer threads do the work as well
    }
  }
  called_.notify_one();
}

void WorkerPool::serve() {
  Guard guard(mutex_);
  while (!is_stopping()) {
    ParallelRun* busy = nullptr;
    for (ParallelRun* run : runs_)  // of nested runs the innermost
      if (run->has_node_for_worker()) busy = run;
    if (busy)
      busy->help(guard);
    else
      called_.wait(guard);
  }
}

void WorkerPool::stop() {
  Guard guard(mutex_);
  stop(guard);
  --stopping_;
}

void WorkerPool::stop(Guard& guard) {
  ++stopping_;
  called_.notify_all();
  std::vector<std::thread> ending = std::exchange(workers_, {});
  guard.unlock();
  for (std::thread& worker : ending) worker.join();
  guard.lock();
}

// The process is copied with one thread, which holds the lock.
void WorkerPool::before_fork() {
  WorkerPool& pool = instance();
  Guard guard(pool.mutex_);
  pool.stop(guard);
  guard.release();
}

void WorkerPool::after_fork_in_parent() {
  WorkerPool& pool = instance();
  --pool.stopping_;
  pool.mutex_.unlock();
}

void WorkerPool::after_fork_in_child() {
  WorkerPool& pool = instance();
  pool.stopping_ = 0;
  std::erase_if(pool.runs_, [](const ParallelRun* run) { return !run->is_of_this_thread(); });
  pool.mutex_.unlock();
}

}  // namespace notape
