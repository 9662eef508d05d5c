// What user code may ask of the backward run it is called from, and how runs update leaves.
#pragma once
#include <functional>

#include "autograd/modes/thread_state.h"

namespace notape {

struct Engine {
  /// How many backward runs may be under way inside one another: one that a hook or a user's
  /// backward starts is inside the run that has called it. One more throws BackwardTooDeep.
  static constexpr uint32_t kMostNestedRuns = 5'000;
  /// Calls `callback` once, after the last node of the backward run that is going on. A callback
  /// may queue others. Throws CallbackOutsideBackward.
  static void queue_callback(std::function<void()> callback);
  /// How many threads may compute nodes of one backward run: the caller, and `count` - 1 workers
  /// that all runs share. Results are the same to the last bit for every number. What users wrote
  /// (hooks, functions, saved-tensor hooks) runs on the calling thread, in the order and between
  /// the nodes of a run on one thread. 1 by default. Throws ValueError unless `count` > 0.
  static void set_num_threads(int count);
  static int get_num_threads();
  /// The node that this thread is running; null outside backward.
  static const Node* current_node() { return thread_state.running; }
};

/// Backward runs in its scope update `.grad` only once every other node has succeeded: if one
/// throws, no leaf has changed. (Hooks that run after an update see it, and come too late for
/// this.)
class AtomicBackwardGuard {
 public:
  AtomicBackwardGuard() : before_(thread_state.stages_leaf_updates) {
    thread_state.stages_leaf_updates = true;
  }
  ~AtomicBackwardGuard() { thread_state.stages_leaf_updates = before_; }
  AtomicBackwardGuard(const AtomicBackwardGuard&) = delete;
  AtomicBackwardGuard& operator=(const AtomicBackwardGuard&) = delete;

 private:
  bool before_;
};

}  // namespace notape
