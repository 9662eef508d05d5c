// When host threads did what.
#pragma once
#include <vector>

#include "trace/analysis/saturation.h"
#include "trace/model/trace_model.h"

namespace notape::trace {

/// When a range that is named as loading data was open.
IntervalSet data_loading_time(const TraceModel& model);

struct HostWorkOptions {
  bool all_threads = false;   ///< or only those with a linked launch
  bool keep_blocked = false;  ///< count launch calls that wait for room in the queue as work
};

/// When a thread was inside an op or an API call and did not wait: without blocking syncs, and
/// without blocked launch calls as `saturations` (one a device) have them.
IntervalSet host_work_time(const TraceModel& model, const std::vector<Saturation>& saturations,
                           const HostWorkOptions& options);

/// What one thread is doing, for the time that a GPU waits for it.
enum class HostActivity { BlockingSync, AllocatorCall, OtherCall, OpItself, DataLoading, Nothing };
constexpr std::size_t kHostActivities = 6;
const char* activity_name(HostActivity activity);

class ThreadActivities {
 public:
  explicit ThreadActivities(const TraceModel& model);

  /// The length of each activity of `thread` in `window`, in the order of HostActivity; they sum to
  /// the window's.
  std::vector<int64_t> lengths(uint32_t thread, const Interval& window) const;

 private:
  struct Row {
    IntervalSet activities[kHostActivities - 1];  // apart from each other
  };
  std::vector<Row> rows_;
};

}  // namespace notape::trace
