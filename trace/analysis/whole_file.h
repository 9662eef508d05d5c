// WholeFile: what analyses ask of all of a trace, whichever part of it they look at: found when it
// is first asked for, and once, so that a step costs its own rows and not a pass over the file.
#pragma once
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "trace/analysis/dispatch_times.h"
#include "trace/analysis/host_time.h"
#include "trace/analysis/iteration_causes.h"
#include "trace/analysis/saturation.h"

namespace notape::trace {

/// Not for several threads at once.
class WholeFile {
 public:
  using Depth = std::optional<int64_t>;  ///< of a full launch queue, if it is given

  explicit WholeFile(const TraceModel& model) : model_(model), devices_(model.devices()) {}

  /// Devices with GPU ops, ascending.
  const std::vector<int64_t>& devices() const { return devices_; }
  /// All of a device, by time.
  const std::vector<const GpuOp*>& ops_of(int64_t device);
  /// When a device ran anything; of one stream if one is given.
  const IntervalSet& busy(int64_t device, std::optional<int64_t> stream = {});
  const IntervalSet& allocator_time();
  /// The part of it in calls that free.
  const IntervalSet& free_time();
  /// When the host waited in blocking syncs, or loaded data.
  const IntervalSet& waits();
  const Saturation& saturation(int64_t device, Depth given);
  /// Work of the device that has been launched and not done, in ns, at the return of each of the
  /// launches of its saturation.
  const std::vector<int64_t>& run_ahead(int64_t device, Depth given);
  const IntervalSet& host_work(const HostWorkOptions& options, Depth given);
  const ThreadActivities& activities();
  const DispatchTimes& dispatch_times();
  const IterationCauses& causes(Depth given);
  /// The API calls of each thread that are in no other one, by time.
  const std::vector<std::vector<const ApiCall*>>& outermost_calls();
  /// The same, of all threads together.
  const std::vector<const ApiCall*>& all_outermost_calls();
  /// The first synchronisation row that has not ended at `time`, by its place; past the last if
  /// there is none.
  std::size_t first_sync_beyond(int64_t time);

 private:
  const IntervalSet& time_of_kinds(std::optional<IntervalSet>& known, bool (*is_kind)(ApiKind));

  const TraceModel& model_;
  std::vector<int64_t> devices_;
  std::map<std::pair<int64_t, std::optional<int64_t>>, IntervalSet> busy_;
  std::optional<IntervalSet> allocator_, frees_, waits_;
  std::map<std::pair<int64_t, Depth>, Saturation> saturations_;
  std::map<std::pair<int64_t, Depth>, std::vector<int64_t>> ahead_;
  std::map<std::tuple<bool, bool, Depth>, IntervalSet> work_;
  std::optional<ThreadActivities> activities_;
  std::optional<DispatchTimes> dispatch_;
  std::map<Depth, IterationCauses> causes_;
  std::map<int64_t, std::vector<const GpuOp*>> ops_;
  std::optional<int64_t> median_launch_;
  std::vector<std::vector<const ApiCall*>> outermost_;
  std::vector<const ApiCall*> all_outermost_;
  std::vector<int64_t> latest_sync_ends_;  // of the first so many rows
};

}  // namespace notape::trace
