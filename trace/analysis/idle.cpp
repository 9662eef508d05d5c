// Each gap between the GPU's busy times, by the op that ends it: whether its launch call [a, b) had
// returned when the gap began.
#include <algorithm>

#include "trace/analysis/analyses.h"
#include "trace/analysis/gaps.h"
#include "trace/analysis/whole_file.h"

namespace notape::trace {
namespace {

constexpr std::size_t kLargestGaps = 10;

/// The stream that a Stream Wait Event row names, if one covers the gap's end.
Value awaited_stream(const Scope& scope, const Gap& gap) {
  const TraceModel& model = scope.model();
  for (std::size_t i = scope.file().first_sync_beyond(gap.time.begin); i < model.syncs.size();
       ++i) {
    const SyncRow& sync = model.syncs[i];
    if (sync.time.begin > gap.time.end) break;
    if (sync.device == gap.next->device && sync.stream == gap.next->stream &&
        sync.time.end >= gap.time.begin && model.name(sync.name) == "Stream Wait Event")
      return sync.awaited_stream;
  }
  return {};
}

Table largest_gaps(const Scope& scope, std::vector<Gap> gaps) {
  const TraceModel& model = scope.model();
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.time.length() > b.time.length(); });
  gaps.resize(std::min(gaps.size(), kLargestGaps));
  Table table{"largest gaps",
              {"start_us", "length_us", "kind", "host did", "launched by", "waits for stream",
               "ended by", "longest call", "call_us", "call is"},
              {}};
  for (const Gap& gap : gaps) {
    Value doing, op, longest, length, cause;
    if (gap.host_wait) {
      const HostWait wait = gap.wait();
      const auto lengths = scope.file().activities().lengths(wait.thread, wait.time);
      if (const std::vector<CallTime> calls = calls_during(scope, {wait}); !calls.empty()) {
        const CallTime& call = calls.front();
        longest = std::string(call.name);
        length = Nanoseconds{call.ns};
        if (2 * call.first_use_ns > call.ns) cause = "first use (inferred)";
      }
      doing = activity_name(static_cast<HostActivity>(
          std::max_element(lengths.begin(), lengths.end()) - lengths.begin()));
    }
    if (gap.launch && gap.launch->op != kNowhere)
      op = std::string(model.name(model.ops[static_cast<std::size_t>(gap.launch->op)].name));
    table.rows.push_back({Nanoseconds{gap.time.begin - model.origin},
                          Nanoseconds{gap.time.length()}, gap.kind(), doing, op,
                          gap.dependency ? awaited_stream(scope, gap) : Value(),
                          std::string(model.name(gap.next->name)), longest, length, cause});
  }
  return table;
}

}  // namespace

Report idle(const Scope& scope) {
  const TraceModel& model = scope.model();
  Report report;
  report.title = "GPU idle time of " + model.path;
  const ThreadActivities& activities = scope.file().activities();
  for (const int64_t device : scope.devices()) {
    const std::vector<const GpuOp*> ops = scope.gpu_ops(device);
    const std::vector<Gap> gaps = gaps_of(model, ops, scope.selection().shortest_dependency_ns);
    const Interval span = span_of(ops);
    const int64_t busy = time_of(ops).length();
    const auto add = [&](const char* name, Value value, const char* unit, uint64_t n,
                         unsigned needs) {
      Metric metric = scope.metric(name, std::move(value), unit, n, needs);
      metric.device = device;
      metric.stream = scope.selection().stream;
      report.metrics.push_back(std::move(metric));
    };
    const auto sum = [&](int64_t Gap::*kind) {
      int64_t total = 0;
      for (const Gap& gap : gaps) total += gap.*kind;
      return total;
    };
    const auto add_kind = [&](const char* name, int64_t Gap::*kind) {
      add(name, Nanoseconds{sum(kind)}, "us", ops.size(), kNeedsGpu | kNeedsLinks);
    };
    add("idle.window", Nanoseconds{span.length()}, "us", ops.size(), kNeedsGpu);
    add("idle.busy", Nanoseconds{busy}, "us", ops.size(), kNeedsGpu);
    add("idle.busy_share", ratio(busy, span.length()), "ratio", ops.size(), kNeedsGpu);
    add("idle.total", Nanoseconds{span.length() - busy}, "us", ops.size(), kNeedsGpu);
    add_kind("idle.host_wait", &Gap::host_wait);
    std::vector<int64_t> doing(kHostActivities);
    for (const Gap& gap : gaps) {
      if (!gap.host_wait) continue;
      const auto lengths = activities.lengths(gap.launch->thread, gap.wait().time);
      for (std::size_t i = 0; i < kHostActivities; ++i) doing[i] += lengths[i];
    }
    for (std::size_t i = 0; i < kHostActivities; ++i)
      add((std::string("idle.host_wait.") + activity_name(static_cast<HostActivity>(i))).c_str(),
          Nanoseconds{doing[i]}, "us", ops.size(), kNeedsGpu | kNeedsLinks);
    add_kind("idle.launch_latency", &Gap::launch_latency);
    add_kind("idle.kernel_wait", &Gap::kernel_wait);
    add_kind("idle.dependency", &Gap::dependency);
    add_kind("idle.unlinked", &Gap::unlinked);
    if (scope.selection().as_hta)
      for (const char* kind : {"host_wait", "kernel_wait", "other"}) {
        int64_t total = 0;
        for (const Gap& gap : gaps)
          if (gap.name_by_hta == std::string_view(kind)) total += gap.time.length();
        add((std::string("idle.hta.") + kind).c_str(), Nanoseconds{total}, "us", ops.size(),
            kNeedsGpu | kNeedsLinks);
      }
    report.tables.push_back(largest_gaps(scope, gaps));
  }
  if (scope.devices().empty())
    for (const char* name :
         {"idle.window", "idle.busy", "idle.total", "idle.host_wait", "idle.launch_latency",
          "idle.kernel_wait", "idle.dependency", "idle.unlinked"})
      report.metrics.push_back(scope.metric(name, {}, "us", 0, kNeedsGpu));
  report.notes.push_back(
      "host_wait: until the launch call of the op that ends a gap had returned; launch_latency: "
      "the "
      "rest of such a gap; kernel_wait and dependency: it had returned before the gap began, which "
      "was shorter or longer than " +
      Value(Nanoseconds{scope.selection().shortest_dependency_ns}).shown() + " us");
  return report;
}

}  // namespace notape::trace
