// Workers: many tasks, shared out among forked processes as these become free. A worker that dies
// costs the task it was at; another takes its place. Without workers this process does the tasks.
#pragma once
#include <chrono>
#include <optional>

#include "verify/processes/child.h"

namespace notape::verify {

/// A worker's end before its time.
struct WorkerDeath {
  std::size_t task = 0;
  std::string doing;  ///< its last note about that task
  std::string how;    ///< "SIGSEGV", "exit status 3"
};

/// For work in this process, which has no parent to report to.
struct ToNobody final : ToParent {
  void send(const std::string&) override {}
  void note(const std::string&) override {}
  int descriptor() const override { return -1; }
};

struct Work {
  std::size_t tasks = 0;
  int jobs = 1;  ///< 0: no workers
  /// In a worker: does the task and returns the answer. A note says what would be to blame.
  std::function<std::string(std::size_t task, ToParent& note)> run;
  /// In this process, in the order in which tasks end.
  std::function<void(std::size_t task, const std::string& answer)> done;
  /// In this process: whether a new worker, which sees everything as it is now, does the task
  /// again.
  std::function<bool(const WorkerDeath& death)> died;
  /// In this process, after every answer: whether to leave the rest.
  std::function<bool()> enough = {};
  /// What a task is called among Shards (shards.h). Then the caller has chosen those of this run;
  /// else they are every N-th, and called by their number.
  std::function<std::string(std::size_t task)> name = {};
  using Time = std::chrono::steady_clock::time_point;
  std::optional<Time> until = {};  ///< no worker begins a task after that
};

/// Returns when every task of this run has been answered or given up, or on an Interruption,
/// without its workers. The caller must not have started threads that hold locks which the tasks
/// need. Throws std::system_error if there can be no worker.
void run_in_workers(const Work& work);

}  // namespace notape::verify
