#include "trace/analysis/host_time.h"

#include <utility>

namespace notape::trace {
namespace {

using Intervals = std::vector<Interval>;

HostActivity activity_of(const ApiCall& call) {
  if (call.kind == ApiKind::BlockingSync) return HostActivity::BlockingSync;
  if (is_allocator_call(call.kind)) return HostActivity::AllocatorCall;
  return HostActivity::OtherCall;
}

}  // namespace

IntervalSet time_of_calls(const TraceModel& model,
                          const std::function<bool(const ApiCall&)>& matches) {
  Intervals times;
  for (const ApiCall& call : model.calls)
    if (matches(call)) times.push_back(call.time);
  return IntervalSet(std::move(times));
}

IntervalSet allocator_time(const TraceModel& model) {
  return time_of_calls(model, [](const ApiCall& call) { return is_allocator_call(call.kind); });
}

IntervalSet blocking_sync_time(const TraceModel& model) {
  return time_of_calls(model,
                       [](const ApiCall& call) { return call.kind == ApiKind::BlockingSync; });
}

IntervalSet data_loading_time(const TraceModel& model) {
  Intervals times;
  for (const Annotation& annotation : model.annotations)
    if (is_data_loading_name(model.name(annotation.name))) times.push_back(annotation.time);
  return IntervalSet(std::move(times));
}

IntervalSet host_work_time(const TraceModel& model, const std::vector<Saturation>& saturations,
                           const HostWorkOptions& options) {
  std::vector<bool> counts(model.threads.size(), options.all_threads);
  for (const ApiCall& call : model.calls)
    if (call.is_linked()) counts[call.thread] = true;
  Intervals work, waits;
  for (const HostOp& op : model.ops)
    if (counts[op.thread]) work.push_back(op.time);
  for (const ApiCall& call : model.calls) {
    if (!counts[call.thread]) continue;
    work.push_back(call.time);
    if (call.kind == ApiKind::BlockingSync) waits.push_back(call.time);
  }
  if (!options.keep_blocked)
    for (const Saturation& saturation : saturations)
      for (const LaunchDepth& launch : saturation.launches) waits.push_back(launch.blocked());
  return IntervalSet(std::move(work)) - IntervalSet(std::move(waits));
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
  std::vector<Intervals> times(rows_.size() * (kHostActivities - 1));
  const auto note = [&](uint32_t thread, HostActivity activity, const Interval& time) {
    times[thread * (kHostActivities - 1) + static_cast<std::size_t>(activity)].push_back(time);
  };
  for (const ApiCall& call : model.calls) note(call.thread, activity_of(call), call.time);
  for (const HostOp& op : model.ops) note(op.thread, HostActivity::OpItself, op.time);
  for (const Annotation& annotation : model.annotations)
    if (is_data_loading_name(model.name(annotation.name)))
      note(annotation.thread, HostActivity::DataLoading, annotation.time);
  for (std::size_t thread = 0; thread < rows_.size(); ++thread) {
    IntervalSet earlier;  // a moment belongs to the first activity that has it
    for (std::size_t i = 0; i < kHostActivities - 1; ++i) {
      const IntervalSet all(std::move(times[thread * (kHostActivities - 1) + i]));
      rows_[thread].activities[i] = all - earlier;
      earlier = earlier | all;
    }
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
