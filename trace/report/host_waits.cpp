#include "trace/report/host_waits.h"

#include <algorithm>
#include <map>

namespace notape::trace {
namespace {

/// The outermost API calls of each thread, by time.
std::vector<std::vector<const ApiCall*>> outermost_calls(const TraceModel& model) {
  std::vector<std::vector<const ApiCall*>> threads(model.threads.size());
  for (const ApiCall& call : model.calls) {
    std::vector<const ApiCall*>& calls = threads[call.thread];
    if (calls.empty() || call.time.begin >= calls.back()->time.end) calls.push_back(&call);
  }
  return threads;
}

}  // namespace

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

std::vector<NamedTime> calls_during(const TraceModel& model, const std::vector<HostWait>& waits) {
  const auto threads = outermost_calls(model);
  std::map<std::string_view, int64_t> by_name;
  for (const HostWait& wait : waits) {
    const std::vector<const ApiCall*>& calls = threads[wait.thread];
    auto place =
        std::upper_bound(calls.begin(), calls.end(), wait.time.begin,
                         [](int64_t time, const ApiCall* call) { return time < call->time.end; });
    for (; place != calls.end() && (*place)->time.begin < wait.time.end; ++place)
      by_name[model.name((*place)->name)] += common_part((*place)->time, wait.time).length();
  }
  std::vector<NamedTime> times;
  for (const auto& [name, ns] : by_name) times.push_back({name, ns});
  std::stable_sort(times.begin(), times.end(),
                   [](const NamedTime& a, const NamedTime& b) { return a.ns > b.ns; });
  return times;
}

}  // namespace notape::trace
