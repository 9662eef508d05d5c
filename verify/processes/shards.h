// Shards: one command's work done by several runs, each every N-th task, whoever starts them; and
// by `merge`, which has their answers and does nothing itself. Or by a run that ends when its time
// is used.
#pragma once
#include <map>
#include <set>
#include <string>

#include "verify/processes/workers.h"

namespace notape::verify {

struct Shards {
  int part = 1, parts = 1;  ///< this run's, from 1
  bool merging = false;     ///< then all parts are, and their answers are there already
  std::optional<Work::Time> until = {};

  std::map<std::string, std::string> answers = {};  ///< by the name of the task
  std::map<std::string, WorkerDeath> deaths = {};   ///< of tasks that were given up
  std::set<int> lost = {};                          ///< while merging: these shards are
  bool began = false;                               ///< whether a command has shared out its work
  std::size_t tasks = 0, done = 0;                  ///< of this run
  double seconds = 0;                               ///< that the merged ones took

  bool has(const std::string& task) const {
    return answers.contains(task) || deaths.contains(task);
  }
  /// Which shard the `number`-th of something belongs to, from 1.
  int shard_of(std::size_t number) const {
    return static_cast<int>(number % static_cast<std::size_t>(parts)) + 1;
  }

  /// Those of the command that runs, for the first run_in_workers() of it; null: none.
  static Shards*& current();
};

/// Seconds since then, and those that merged shards took.
double seconds_since(Work::Time start);

/// While it lives, run_in_workers() of this process is about these shards.
class ShardsGuard {
 public:
  explicit ShardsGuard(Shards* shards) : before_(std::exchange(Shards::current(), shards)) {}
  ~ShardsGuard() { Shards::current() = before_; }
  ShardsGuard(const ShardsGuard&) = delete;
  ShardsGuard& operator=(const ShardsGuard&) = delete;

 private:
  Shards* before_;
};

}  // namespace notape::verify
