// Back-pressure: launch calls that wait because the launch queue is full.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/model/trace_model.h"

namespace notape::trace {

/// A launch call and how many GPU ops of the device waited when it began.
struct LaunchDepth {
  const ApiCall* call = nullptr;
  int64_t depth = 0;
  int64_t blocked_ns = 0;  ///< how long it waited for room
  /// It returns when its op has ended, as a copy to the CPU's ordinary memory does: however long it
  /// is, it says nothing about room.
  bool awaits_its_op = false;

  Interval blocked() const { return {call->time.end - blocked_ns, call->time.end}; }
};

struct Saturation {
  int64_t median_call_ns = 0;  ///< of all linked launch calls of the file; 0 if there are none
  int64_t depth = 0;           ///< of a full queue
  bool is_found = false;       ///< in the data, not assumed or set
  std::vector<LaunchDepth> launches;  ///< of the device, by time
};

/// m of all linked launch calls of the file, which says what is a long one; 0 if there are none.
int64_t median_launch_ns(const TraceModel& model);

/// The queue of one device, of which `ops` are all, streams together; `median_launch` of the file.
/// Depth: the smallest Q for which calls at a depth of Q or more take more than 4 times the median
/// of those below, each side having 30 calls or more; if there is none, 1,000. A call at 90 % of it
/// or more is blocked after 4 medians. Calls that await their op do not count.
Saturation find_saturation(const TraceModel& model, const std::vector<const GpuOp*>& ops,
                           int64_t median_launch, std::optional<int64_t> given_depth);
Saturation find_saturation(const TraceModel& model, int64_t device,
                           std::optional<int64_t> given_depth = {});

}  // namespace notape::trace
