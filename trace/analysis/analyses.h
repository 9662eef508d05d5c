// The questions that a trace answers, one function each. Times are exact, results do not depend on
// the order of events in the file, and what there are no data for is null with a reason.
#pragma once
#include "trace/analysis/report.h"
#include "trace/analysis/scope.h"

namespace notape::trace {

/// Is the file trustworthy, and which metrics are not?
Report check(const Scope& scope);
/// How long does an op take until its first launch, and outside the ops that it calls? Per op
/// and per class: tensor, differentiable (records a node), backward node.
Report dispatch(const Scope& scope);
/// How much of the GPU's work and of the host's happens at the same time?
Report overlap(const Scope& scope);
/// Why does the GPU do nothing? The kinds sum to the idle time exactly.
Report idle(const Scope& scope);
/// How far is the host ahead: length of the launch queues, saturation, blocked launch calls,
/// launched work in us?
Report queue(const Scope& scope);
/// What does the driver's memory management cost, and does it end?
Report alloc(const Scope& scope);

/// Which steps were slow, and for what; have they changed their level; what do the user's ranges
/// take? Steps that are selected are listed instead of the slowest, beside the medians of all.
Report steps(const Scope& scope, std::size_t most_rows = 10);

struct QueueAheadOptions {
  std::string from;  ///< a regular expression: the first op whose name it is found in
  int64_t ops = 0;   ///< only the first so many GPU ops from there on; 0: all of the step
};
/// How much longer does the GPU take for a step than the host to queue it (Figure 1 of the 2019
/// paper), as measured and with blocked launch calls taken out?
/// Throws ValueError for a regular expression that is none or fits no op.
Report queue_ahead(const Scope& scope, const QueueAheadOptions& options = {});
/// What does the first iteration take longer than the others (Figure 2 of the 2019 paper), and for
/// what?
Report first_iteration(const Scope& scope);

}  // namespace notape::trace
