// A question about a file of several processes: asked about each, and the answers side by side.
#pragma once
#include <functional>

#include "trace/analysis/report.h"
#include "trace/model/trace_model.h"

namespace notape::trace {

/// Of a file of one process its answer. Of several the answers of each, as if it had a file of its
/// own, and a table that says of each figure where it is lowest and highest. A process that the
/// question means nothing to has a note; throws the ValueError of the first if all are such.
Report by_process(const TraceModel& model,
                  const std::function<Report(const TraceModel&)>& question);

}  // namespace notape::trace
