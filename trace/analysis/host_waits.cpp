#include "trace/analysis/host_waits.h"

#include <algorithm>
#include <map>

#include "trace/analysis/whole_file.h"

namespace notape::trace {

std::vector<HostWait> host_waits(const TraceModel& model, const std::vector<const GpuOp*>& ops) {
  std::vector<HostWait> waits;
  int64_t busy_until = ops.empty() ? 0 : ops.front()->time.begin;
  for (const GpuOp* op : ops) {
    if (op->time.begin > busy_until && op->call != kNowhere) {
      const ApiCall& launch = model.calls[static_cast<std::size_t>(op->call)];
      const int64_t end = std::min(op->time.begin, launch.time.end);
      if (end > busy_until) waits.push_back({{busy_until, end}, launch.thread});
    }
    busy_until = std::max(busy_until, op->time.end);
  }
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
