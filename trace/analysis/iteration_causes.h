// What the host waits for in a first iteration, by cause.
#pragma once
#include <array>
#include <optional>
#include <set>

#include "trace/model/trace_model.h"

namespace notape::trace {

class WholeFile;

/// In the order in which a moment that fits several is counted.
enum class IterationCause : unsigned char {
  Free,
  DeviceAllocation,
  HostAllocation,
  FirstUse,  ///< inferred: a kernel launch so long that it loads a module or makes a context
  Initialisation,
  Sync,
  DataLoading,
  None,
};
constexpr std::size_t kIterationCauses = 7;  // without None
const char* cause_name(IterationCause cause);
inline bool is_allocator_cause(IterationCause cause) {
  return cause <= IterationCause::HostAllocation;
}

class IterationCauses {
 public:
  IterationCauses(const TraceModel& model, WholeFile& file, std::optional<int64_t> queue_depth);

  /// When the cause holds and no earlier one does.
  const IntervalSet& operator[](IterationCause cause) const {
    return times_[static_cast<std::size_t>(cause)];
  }
  IterationCause of(const ApiCall& call) const;
  /// Calls, or ranges, that begin in the window.
  int64_t count(IterationCause cause, const Interval& window) const;

 private:
  const TraceModel& model_;
  int64_t median_launch_;
  std::set<const ApiCall*> blocked_;  // launches that wait for a place in a full queue
  std::array<IntervalSet, kIterationCauses> times_;
};

}  // namespace notape::trace
