// ParallelRun: the nodes of one backward run on several threads, with the results of one.
//
// Note [The same bits for every number of threads]
// In which order one thread would run the nodes depends on the graph alone, so that order, the
// schedule, is written down first. Then:
// - A node is computed when all that arrives for it has arrived, by any thread, in any order.
// - What arrives for it is added in the order of the schedule: each contribution has its place in
//   an inbox, and the places are emptied from the front.
// - What a user wrote is called by the thread that called backward, while nothing else of the run
//   is being computed, after every earlier node of the schedule and before any later one (a
//   barrier). It sees what it would see in a run on one thread.
// - If nodes fail, those before the earliest of them still run, and what it threw is thrown.
// - While backward is recorded, each node numbers what it records from a range of its own, ordered
//   like the schedule, so the schedules of later runs are the same, too.
#pragma once
#include <condition_variable>
#include <exception>
#include <queue>

#include "autograd/engine/graph_task.h"
#include "autograd/engine/worker_pool.h"

namespace notape {

class ParallelRun {
 public:
  /// Whether a run that begins now on this thread is to use several.
  static bool is_wanted() {
    return engine_threads.load(std::memory_order_relaxed) > 1 && is_possible();
  }

  /// `task` has been planned and has its first nodes ready.
  explicit ParallelRun(GraphTask& task);
  ParallelRun(const ParallelRun&) = delete;
  ParallelRun& operator=(const ParallelRun&) = delete;

  /// Returns when every node has run, or throws what the earliest failing one has thrown.
  void run();

  // For the pool, which holds the lock:
  bool has_node_for_worker() const;
  void help(WorkerPool::Guard& guard);
  bool is_of_this_thread() const { return caller_ == std::this_thread::get_id(); }

 private:
  using Position = uint32_t;  // in the schedule
  static constexpr Position kNever = UINT32_MAX;

  /// What comes along one edge; neither value nor regions: nothing but the news.
  struct Contribution {
    bool arrived = false;
    uint32_t output = 0;
    uint64_t first_number = 0;  // of what adding it records
    Tensor value;
    std::vector<Region> regions;
  };
  struct Step {
    Node* node;
    RunState* state;
    std::size_t first_edge;           // in places_
    std::vector<Contribution> inbox;  // in the order of the schedule
    std::size_t added = 0;            // so many contributions
    bool adding = false;              // a thread is at it
    bool done = false;
  };

  static bool is_possible();
  bool is_finished() const { return first_undone_ >= end_ && running_ == 0; }
  bool is_barrier_due() const;
  bool records() const { return state_.grad_mode; }
  bool may_run_beside_others(const Step& step) const;
  Position next_barrier(Position from) const;
  void run_next(WorkerPool::Guard& guard, RegionSink& sink);
  void run_step(Position position, RegionSink& sink);
  void finish_step(Position position, std::exception_ptr error);
  void deliver(Step& from, Tensor* results, RegionSink& sink);
  void put(Position to, std::size_t place, Contribution contribution);
  void add(Step& step, Contribution contribution);
  /// Where numbers of a node's recordings begin.
  uint64_t first_number(Position position) const;

  GraphTask& task_;
  WorkerPool& pool_;
  const ThreadState state_;
  const std::thread::id caller_;
  std::vector<Position> position_;  // by discovery
  std::vector<Step> steps_;         // the schedule
  std::vector<uint32_t> places_;    // of each edge's contribution in its receiver's inbox

  // Under the pool's lock:
  std::priority_queue<Position, std::vector<Position>, std::greater<>> ready_;
  Position barrier_ = 0;       // the next step that runs alone
  Position first_undone_ = 0;  // every earlier step is done
  Position end_;               // no step from here on runs: the end, or a failure
  int running_ = 0;
  bool caller_waits_ = false;
  std::exception_ptr error_;  // of the step `end_`
  std::condition_variable progress_;

  Position numbered_from_ = 0;  // this step's recordings ...
  uint64_t numbers_begin_ = 0;  // ... begin here
};

}  // namespace notape
