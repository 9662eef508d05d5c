// What is said when backward runs start one another without end (graph_task.cpp: "Deep re-entrant
// backward").
#include "autograd/engine/engine_controls.h"
#include "autograd/engine/graph_task.h"

namespace notape {

void GraphTask::throw_too_deep() const {
  const Node* inside = thread_state.running;
  throw BackwardTooDeep(
      "{}: {} backward runs are under way inside one another, the most there may be. A hook or a "
      "user's backward that starts a run through its own node is called by that run, too, and so "
      "on without end. The last of them was to be started{}{}",
      options_.caller, Engine::kMostNestedRuns, at_place(options_.at),
      inside ? format_message(" inside {}, recorded by {}{}",
                              {inside->name(), inside->operator_name(), at_place(inside->at())})
             : "");
}

}  // namespace notape
