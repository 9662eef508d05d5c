#include "trace/analysis/host_time.h"

#include <utility>

#include "trace/model/rows.h"

namespace notape::trace {
namespace {

HostActivity activity_of(const ApiCall& call) {
  if (call.kind == ApiKind::BlockingSync) return HostActivity::BlockingSync;
  if (is_allocator_call(call.kind)) return HostActivity::AllocatorCall;
  return HostActivity::OtherCall;
}

}  // namespace

IntervalSet data_loading_time(const TraceModel& model) {
  return time_of(model.annotations, [&](const Annotation& annotation) {
    return is_data_loading_name(model.name(annotation.name));
  });
}

IntervalSet host_work_time(const TraceModel& model, const std::vector<Saturation>& saturations,
                           const HostWorkOptions& options) {
  std::vector<bool> counts(model.threads.size(), options.all_threads);
  for (const ApiCall& call : model.calls)
    if (call.is_linked()) counts[call.thread] = true;
  const auto is_counted = [&](const auto& row) { return counts[row.thread]; };
  IntervalSet waits = time_of(model.calls, [&](const ApiCall& call) {
    return is_counted(call) && call.kind == ApiKind::BlockingSync;
  });
  if (!options.keep_blocked) {
    std::vector<Interval> blocked;
    for (const Saturation& saturation : saturations)
      for (const LaunchDepth& launch : saturation.launches) blocked.push_back(launch.blocked());
    waits = waits | IntervalSet(std::move(blocked));
  }
  return (time_of(model.ops, is_counted) | time_of(model.calls, is_counted)) - waits;
}

const char* activity_name(HostActivity activity) {
  switch (activity) {
    case HostActivity::BlockingSync:
      return "blocking_sync";
    case HostActivity::AllocatorCall:
      return "allocator";
    case HostActivity::OtherCall:
      return "other_api";
    case HostActivity::OpItself:
      return "op_self";
    case HostActivity::DataLoading:
      return "data_loading";
    case HostActivity::Nothing:
      break;
  }
  return "user_code";
}

ThreadActivities::ThreadActivities(const TraceModel& model) : rows_(model.threads.size()) {
  std::vector<std::vector<Interval>> times(rows_.size() * (kHostActivities - 1));
  const auto note = [&](uint32_t thread, HostActivity activity, const Interval& time) {
    times[thread * (kHostActivities - 1) + static_cast<std::size_t>(activity)].push_back(time);
  };
  for (const ApiCall& call : model.calls) note(call.thread, activity_of(call), call.time);
  for (const HostOp& op : model.ops) note(op.thread, HostActivity::OpItself, op.time);
  for (const Annotation& annotation : model.annotations)
    if (is_data_loading_name(model.name(annotation.name)))
      note(annotation.thread, HostActivity::DataLoading, annotation.time);
  for (std::size_t thread = 0; thread < rows_.size(); ++thread) {
    for (std::size_t i = 0; i < kHostActivities - 1; ++i)
      rows_[thread].activities[i] =
          IntervalSet(std::move(times[thread * (kHostActivities - 1) + i]));
    make_apart(rows_[thread].activities);  // a moment belongs to the first that has it
  }
}

std::vector<int64_t> ThreadActivities::lengths(uint32_t thread, const Interval& window) const {
  std::vector<int64_t> result;
  int64_t rest = window.length();
  for (const IntervalSet& activity : rows_[thread].activities) {
    result.push_back(activity.length_within(window));
    rest -= result.back();
  }
  result.push_back(rest);
  return result;
}

}  // namespace notape::trace
