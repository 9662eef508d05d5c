#include "trace/analysis/whole_file.h"

#include <algorithm>

#include "trace/analysis/launch_curve.h"

namespace notape::trace {
namespace {

std::vector<int64_t> work_ahead(const TraceModel& model, int64_t device,
                                const std::vector<LaunchDepth>& launches) {
  std::vector<Interval> ops;
  for (const GpuOp& op : model.gpu_ops)
    if (op.device == device && op.call != kNowhere) ops.push_back(op.time);
  const WorkDone done(ops);
  const auto length_of = [&](const ApiCall& call, int64_t until) {
    int64_t sum = 0;
    for (const uint32_t place : model.launched_by(call)) {
      const GpuOp& op = model.gpu_ops[place];
      if (op.device == device)
        sum += std::clamp<int64_t>(until - op.time.begin, 0, op.time.length());
    }
    return sum;
  };
  std::vector<int64_t> result;
  int64_t launched = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    launched += length_of(*launches[i].call, INT64_MAX / 2);
    const int64_t returned = launches[i].call->time.end;
    int64_t done_of_these = done.until(returned);
    // What later calls on other threads have launched and the GPU has done already.
    for (std::size_t j = i + 1; j < launches.size() && launches[j].call->time.begin < returned; ++j)
      done_of_these -= length_of(*launches[j].call, returned);
    result.push_back(launched - done_of_these);
  }
  return result;
}

}  // namespace

const IntervalSet& WholeFile::busy(int64_t device, std::optional<int64_t> stream) {
  const auto [place, is_new] = busy_.try_emplace({device, stream});
  if (is_new) {
    std::vector<Interval> times;
    for (const GpuOp& op : model_.gpu_ops)
      if (op.device == device && (!stream || op.stream == *stream)) times.push_back(op.time);
    place->second = IntervalSet(std::move(times));
  }
  return place->second;
}

const IntervalSet& WholeFile::allocator_time() {
  if (!allocator_) allocator_ = trace::allocator_time(model_);
  return *allocator_;
}

const IntervalSet& WholeFile::free_time() {
  if (!frees_)
    frees_ = time_of_calls(model_, [](const ApiCall& call) { return call.kind == ApiKind::Free; });
  return *frees_;
}

const IntervalSet& WholeFile::waits() {
  if (!waits_) waits_ = blocking_sync_time(model_) | data_loading_time(model_);
  return *waits_;
}

const Saturation& WholeFile::saturation(int64_t device, Depth given) {
  const auto [place, is_new] = saturations_.try_emplace({device, given});
  if (is_new) place->second = find_saturation(model_, device, given);
  return place->second;
}

const std::vector<int64_t>& WholeFile::run_ahead(int64_t device, Depth given) {
  const auto [place, is_new] = ahead_.try_emplace({device, given});
  if (is_new) place->second = work_ahead(model_, device, saturation(device, given).launches);
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
    if (calls.empty() || call.time.begin >= calls.back()->time.end) calls.push_back(&call);
  }
  return outermost_;
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
