#include "trace/analysis/gaps.h"

#include <algorithm>
#include <map>

#include "trace/analysis/whole_file.h"

namespace notape::trace {

std::vector<Gap> gaps_of(const TraceModel& model, const std::vector<const GpuOp*>& ops,
                         int64_t shortest_dependency_ns) {
  std::vector<Gap> gaps;
  int64_t busy_until = ops.empty() ? 0 : ops.front()->time.begin;
  for (const GpuOp* op : ops) {
    const int64_t begin = op->time.begin;
    if (begin > busy_until) {
      Gap gap{{busy_until, begin}, op};
      const int64_t length = gap.time.length();
      if (op->call == kNowhere) {
        gap.unlinked = length;
        gap.name_by_hta = "other";
      } else {
        gap.launch = &model.calls[static_cast<std::size_t>(op->call)];
        const Interval launch = gap.launch->time;
        const bool is_short = length < shortest_dependency_ns;
        if (launch.end > busy_until) {
          gap.host_wait = std::min(begin, launch.end) - busy_until;
          gap.launch_latency = length - gap.host_wait;
        } else {
          (is_short ? gap.kernel_wait : gap.dependency) = length;
        }
        gap.name_by_hta = launch.begin > busy_until ? "host_wait"
                          : is_short                ? "kernel_wait"
                                                    : "other";
      }
      gaps.push_back(gap);
    }
    busy_until = std::max(busy_until, op->time.end);
  }
  return gaps;
}

std::vector<HostWait> host_waits(const TraceModel& model, const std::vector<const GpuOp*>& ops) {
  std::vector<HostWait> waits;
  for (const Gap& gap : gaps_of(model, ops, 0))
    if (gap.host_wait > 0) waits.push_back(gap.wait());
  return waits;
}

std::vector<CallTime> calls_during(const Scope& scope, const std::vector<HostWait>& waits) {
  const TraceModel& model = scope.model();
  const auto& threads = scope.file().outermost_calls();
  const IterationCauses& causes = scope.file().causes(scope.selection().saturation_depth);
  std::map<std::string_view, CallTime> by_name;
  for (const HostWait& wait : waits) {
    const std::vector<const ApiCall*>& calls = threads[wait.thread];
    auto place =
        std::upper_bound(calls.begin(), calls.end(), wait.time.begin,
                         [](int64_t time, const ApiCall* call) { return time < call->time.end; });
    for (; place != calls.end() && (*place)->time.begin < wait.time.end; ++place) {
      const int64_t ns = common_part((*place)->time, wait.time).length();
      CallTime& sum = by_name[model.name((*place)->name)];
      sum.ns += ns;
      if (causes.of(**place) == IterationCause::FirstUse) sum.first_use_ns += ns;
    }
  }
  std::vector<CallTime> times;
  for (auto& [name, sum] : by_name) {
    sum.name = name;
    times.push_back(sum);
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const CallTime& a, const CallTime& b) { return a.ns > b.ns; });
  return times;
}

}  // namespace notape::trace
