// What the rows of a model have to do with each other: order, nesting, launches, steps.
#pragma once
#include <map>

#include "trace/model/trace_model.h"

namespace notape::trace {

/// Which processes have rows on the host.
void find_processes(TraceModel& model);
/// Drops rows a week or more away from the others, and brings the rest into an order that does not
/// depend on the file's.
void order_rows(TraceModel& model);
/// From the first row to the end of the last.
void find_time(TraceModel& model);
/// `first_in_week[w]`: the begin of the first event in week w since the epoch. Those a week or more
/// before the rows do not count.
void find_origin(TraceModel& model, const std::map<int64_t, int64_t>& first_in_week);
/// The op around each op and each call.
void nest_rows(TraceModel& model);
/// The process of each GPU op and wait: their rows name the device only.
void find_owners(TraceModel& model);
/// Connects GPU ops and the calls of the same correlation and process.
void link_launches(TraceModel& model);
/// A stream does one thing at a time, and a process one step: counts what contradicts it.
void check_streams(TraceModel& model);
/// Throws ValueError for a regular expression that is none.
void find_steps(TraceModel& model, const std::string& step_regex);

}  // namespace notape::trace
