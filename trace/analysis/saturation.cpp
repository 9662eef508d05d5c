#include "trace/analysis/saturation.h"

#include <algorithm>

#include "trace/analysis/quantile.h"

namespace notape::trace {
namespace {

constexpr int64_t kAssumedDepth = 1'000;  // drivers stop a little above it
constexpr int64_t kSlower = 4;
constexpr int64_t kFewest = 30;

/// A multiset of numbers from a list known beforehand: its median, while numbers come and go, in
/// logarithmic time (a Fenwick tree over ranks).
class RunningMedian {
 public:
  explicit RunningMedian(const std::vector<int64_t>& sorted_numbers)
      : numbers_(sorted_numbers), tree_(sorted_numbers.size() + 1) {}

  void add(int64_t number, int64_t count) {
    size_ += count;
    const auto rank = std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin();
    for (auto i = static_cast<std::size_t>(rank) + 1; i < tree_.size(); i += i & (~i + 1))
      tree_[i] += count;
  }
  int64_t size() const { return size_; }
  int64_t median() const {
    int64_t left = std::min(size_ - 1, size_ / 2);  // so many numbers are smaller
    std::size_t place = 0, step = 1;
    while (step * 2 < tree_.size()) step *= 2;
    for (; step > 0; step /= 2)
      if (place + step < tree_.size() && tree_[place + step] <= left) {
        place += step;
        left -= tree_[place];
      }
    return numbers_[place];
  }

 private:
  const std::vector<int64_t>& numbers_;
  std::vector<int64_t> tree_;
  int64_t size_ = 0;
};

std::vector<LaunchDepth> launch_depths(const TraceModel& model,
                                       const std::vector<const GpuOp*>& ops) {
  std::vector<int64_t> starts;
  std::vector<std::pair<Place, int64_t>> calls;  // each with when its last op ends first
  for (const GpuOp* op : ops) {
    if (op->call == kNowhere) continue;
    starts.push_back(op->time.begin);
    calls.emplace_back(op->call, -op->time.end);
  }
  std::sort(starts.begin(), starts.end());
  std::sort(calls.begin(), calls.end());  // by time
  std::vector<LaunchDepth> launches;
  for (std::size_t launched = 0; launched < calls.size(); ++launched) {
    const auto [place, minus_end] = calls[launched];
    if (launched > 0 && place == calls[launched - 1].first) continue;
    const ApiCall& call = model.calls[static_cast<std::size_t>(place)];
    const auto started =
        std::upper_bound(starts.begin(), starts.end(), call.time.begin) - starts.begin();
    launches.push_back({&call, std::max<int64_t>(0, static_cast<int64_t>(launched) - started), 0,
                        call.time.end >= -minus_end});
  }
  return launches;
}

std::optional<int64_t> depth_of_full_queue(const std::vector<LaunchDepth>& launches) {
  std::vector<const LaunchDepth*> by_depth;
  std::vector<int64_t> durations;
  for (const LaunchDepth& launch : launches) {
    if (launch.awaits_its_op) continue;
    by_depth.push_back(&launch);
    durations.push_back(launch.call->time.length());
  }
  std::sort(durations.begin(), durations.end());
  std::sort(by_depth.begin(), by_depth.end(),
            [](const LaunchDepth* a, const LaunchDepth* b) { return a->depth < b->depth; });
  RunningMedian below(durations), above(durations);
  for (const int64_t duration : durations) above.add(duration, 1);
  for (std::size_t i = 0; i < by_depth.size(); ++i) {
    const bool is_new_depth = i == 0 || by_depth[i]->depth != by_depth[i - 1]->depth;
    if (is_new_depth && below.size() >= kFewest && above.size() >= kFewest &&
        above.median() > kSlower * below.median())
      return by_depth[i]->depth;
    below.add(by_depth[i]->call->time.length(), 1);
    above.add(by_depth[i]->call->time.length(), -1);
  }
  return {};
}

}  // namespace

int64_t median_launch_ns(const TraceModel& model) {
  std::vector<int64_t> durations;
  for (const ApiCall& call : model.calls)
    if (call.is_linked()) durations.push_back(call.time.length());
  return durations.empty() ? 0 : median(std::move(durations));
}

Saturation find_saturation(const TraceModel& model, const std::vector<const GpuOp*>& ops,
                           int64_t median_launch, std::optional<int64_t> given_depth) {
  Saturation result;
  result.launches = launch_depths(model, ops);
  result.median_call_ns = median_launch;
  const std::optional<int64_t> found =
      given_depth ? given_depth : depth_of_full_queue(result.launches);
  result.depth = found.value_or(kAssumedDepth);
  result.is_found = found && !given_depth;
  for (LaunchDepth& launch : result.launches)
    if (10 * launch.depth >= 9 * result.depth && !launch.awaits_its_op)
      launch.blocked_ns =
          std::max<int64_t>(0, launch.call->time.length() - kSlower * result.median_call_ns);
  return result;
}

Saturation find_saturation(const TraceModel& model, int64_t device,
                           std::optional<int64_t> given_depth) {
  std::vector<const GpuOp*> ops;
  for (const GpuOp& op : model.gpu_ops)
    if (op.device == device) ops.push_back(&op);
  return find_saturation(model, ops, median_launch_ns(model), given_depth);
}

}  // namespace notape::trace
