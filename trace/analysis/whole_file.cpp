#include "trace/analysis/whole_file.h"

#include <algorithm>

#include "trace/analysis/launch_curve.h"
#include "trace/model/rows.h"

namespace notape::trace {
namespace {

/// At the return of each launch: what it and the earlier ones have launched, less what of that is
/// done. Later calls on other threads may have begun, but do not count.
std::vector<int64_t> work_ahead(const TraceModel& model, int64_t device,
                                const std::vector<const GpuOp*>& ops,
                                const std::vector<LaunchDepth>& launches) {
  std::vector<Interval> times;
  for (const GpuOp* op : ops)
    if (op->call != kNowhere) times.push_back(op->time);
  WorkDone done(times);
  std::vector<int64_t> result;
  int64_t launched = 0;
  for (const LaunchDepth& launch : launches) {
    for (const uint32_t place : model.launched_by(*launch.call)) {
      const GpuOp& op = model.gpu_ops[place];
      if (op.device != device) continue;
      launched += op.time.length();
      done.add(op.time);
    }
    result.push_back(launched - done.until(launch.call->time.end));
  }
  return result;
}

}  // namespace

const std::vector<const GpuOp*>& WholeFile::ops_of(int64_t device) {
  if (ops_.empty())
    for (const GpuOp& op : model_.gpu_ops) ops_[op.device].push_back(&op);
  return ops_[device];
}

const IntervalSet& WholeFile::busy(int64_t device, std::optional<int64_t> stream) {
  const auto [place, is_new] = busy_.try_emplace({device, stream});
  if (is_new)
    place->second =
        time_of(ops_of(device), [&](const GpuOp* op) { return !stream || op->stream == *stream; });
  return place->second;
}

const IntervalSet& WholeFile::time_of_kinds(std::optional<IntervalSet>& known,
                                            bool (*is_kind)(ApiKind)) {
  if (!known)
    known = time_of(model_.calls, [&](const ApiCall& call) { return is_kind(call.kind); });
  return *known;
}

const IntervalSet& WholeFile::allocator_time() {
  return time_of_kinds(allocator_, is_allocator_call);
}

const IntervalSet& WholeFile::free_time() {
  return time_of_kinds(frees_, [](ApiKind kind) { return kind == ApiKind::Free; });
}

const IntervalSet& WholeFile::waits() {
  if (waits_) return *waits_;
  time_of_kinds(waits_, [](ApiKind kind) { return kind == ApiKind::BlockingSync; });
  return *(waits_ = *waits_ | data_loading_time(model_));
}

const Saturation& WholeFile::saturation(int64_t device, Depth given) {
  const auto [place, is_new] = saturations_.try_emplace({device, given});
  if (!median_launch_) median_launch_ = median_launch_ns(model_);
  if (is_new) place->second = find_saturation(model_, ops_of(device), *median_launch_, given);
  return place->second;
}

const std::vector<int64_t>& WholeFile::run_ahead(int64_t device, Depth given) {
  const auto [place, is_new] = ahead_.try_emplace({device, given});
  if (is_new)
    place->second = work_ahead(model_, device, ops_of(device), saturation(device, given).launches);
  return place->second;
}

const IntervalSet& WholeFile::host_work(const HostWorkOptions& options, Depth given) {
  const auto [place, is_new] =
      work_.try_emplace({options.all_threads, options.keep_blocked, given});
  if (is_new) {
    std::vector<Saturation> saturations;
    for (const int64_t device : devices_) saturations.push_back(saturation(device, given));
    place->second = host_work_time(model_, saturations, options);
  }
  return place->second;
}

const ThreadActivities& WholeFile::activities() {
  if (!activities_) activities_.emplace(model_);
  return *activities_;
}

const DispatchTimes& WholeFile::dispatch_times() {
  if (!dispatch_) dispatch_.emplace(model_);
  return *dispatch_;
}

const IterationCauses& WholeFile::causes(Depth given) {
  const auto found = causes_.find(given);
  if (found != causes_.end()) return found->second;
  return causes_.try_emplace(given, model_, *this, given).first->second;
}

const std::vector<std::vector<const ApiCall*>>& WholeFile::outermost_calls() {
  if (outermost_.size() == model_.threads.size()) return outermost_;
  outermost_.resize(model_.threads.size());
  for (const ApiCall& call : model_.calls) {
    std::vector<const ApiCall*>& calls = outermost_[call.thread];
    if (calls.empty() || call.time.begin >= calls.back()->time.end) {
      calls.push_back(&call);
      all_outermost_.push_back(&call);
    }
  }
  return outermost_;
}

const std::vector<const ApiCall*>& WholeFile::all_outermost_calls() {
  outermost_calls();
  return all_outermost_;
}

std::size_t WholeFile::first_sync_beyond(int64_t time) {
  if (latest_sync_ends_.size() != model_.syncs.size()) {
    int64_t latest = INT64_MIN;
    for (const SyncRow& sync : model_.syncs)
      latest_sync_ends_.push_back(latest = std::max(latest, sync.time.end));
  }
  return static_cast<std::size_t>(
      std::lower_bound(latest_sync_ends_.begin(), latest_sync_ends_.end(), time) -
      latest_sync_ends_.begin());
}

}  // namespace notape::trace
