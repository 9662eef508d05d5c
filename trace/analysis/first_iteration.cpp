// excess = T_0 - median(T_1, ...), where T_i runs from mark i to the next. A moment of host time
// belongs to the first cause that fits; a cause contributes its time in iteration 0 less its median
// over the later ones.
#include <algorithm>

#include "trace/analysis/analyses.h"
#include "trace/analysis/host_time.h"
#include "trace/analysis/iteration_causes.h"
#include "trace/analysis/quantile.h"

namespace notape::trace {
namespace {

constexpr std::size_t kLongestCalls = 10;

/// In the first window less the median over the others.
int64_t contribution(const IntervalSet& time, const std::vector<Interval>& windows) {
  std::vector<int64_t> later;
  for (std::size_t i = 1; i < windows.size(); ++i) later.push_back(time.length_within(windows[i]));
  return time.length_within(windows[0]) - median(std::move(later));
}

Table iteration_table(const TraceModel& model, const std::vector<Interval>& windows,
                      const IntervalSet& busy) {
  Table table{"iterations",
              {"step", "time_us", "gpu_busy_us", "busy share", "allocator calls", "stall_cpu_us",
               "stall_gpu_us"},
              {}};
  const IntervalSet stalls = allocator_time(model);
  const IntervalSet idle_stalls = stalls - busy;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const Interval& window = windows[i];
    const auto calls =
        std::count_if(model.calls.begin(), model.calls.end(), [&](const ApiCall& call) {
          return is_allocator_call(call.kind) && window.contains(call.time.begin);
        });
    const int64_t busy_ns = busy.length_within(window);
    table.rows.push_back({model.steps[i].name, Nanoseconds{window.length()}, Nanoseconds{busy_ns},
                          ratio(busy_ns, window.length()), int64_t{calls},
                          Nanoseconds{stalls.length_within(window)},
                          Nanoseconds{idle_stalls.length_within(window)}});
  }
  return table;
}

Table longest_calls(const TraceModel& model, const IterationCauses& causes) {
  std::vector<const ApiCall*> calls;
  for (const ApiCall& call : model.calls) calls.push_back(&call);
  std::stable_sort(calls.begin(), calls.end(), [](const ApiCall* a, const ApiCall* b) {
    return a->time.length() > b->time.length();
  });
  calls.resize(std::min(calls.size(), kLongestCalls));
  Table table{"longest API calls", {"call", "start_us", "length_us", "cause"}, {}};
  for (const ApiCall* call : calls) {
    const IterationCause cause = causes.of(*call);
    table.rows.push_back({std::string(model.name(call->name)),
                          Nanoseconds{call->time.begin - model.time.begin},
                          Nanoseconds{call->time.length()},
                          cause == IterationCause::None ? Value() : Value(cause_name(cause))});
  }
  return table;
}

}  // namespace

Report first_iteration(const Scope& scope) {
  const TraceModel& model = scope.model();
  Report report;
  report.title = "first iteration of " + model.path;
  const IterationCauses causes(scope);
  std::vector<Interval> windows, busy_times;
  for (const ModelStep& step : model.steps) windows.push_back({step.time.begin, step.mark_end});
  for (const GpuOp& op : model.gpu_ops)
    if (!scope.selection().device || op.device == *scope.selection().device)
      busy_times.push_back(op.time);
  const IntervalSet busy(std::move(busy_times));
  const bool has_excess = windows.size() >= 2;
  const uint64_t n = has_excess ? windows.size() : 0;
  const auto add = [&](const std::string& name, Value value, const char* unit) {
    report.metrics.push_back(scope.metric(name, std::move(value), unit, n, kNeedsThreeSteps));
  };
  if (!has_excess) {
    for (const char* name : {"first_iteration.excess", "first_iteration.unexplained"})
      add(name, {}, "us");
  } else {
    std::vector<int64_t> later;
    for (std::size_t i = 1; i < windows.size(); ++i) later.push_back(windows[i].length());
    const int64_t steady = median(later), excess = windows[0].length() - steady;
    add("first_iteration.time", Nanoseconds{windows[0].length()}, "us");
    add("first_iteration.steady_time", Nanoseconds{steady}, "us");
    add("first_iteration.excess", Nanoseconds{excess}, "us");
    Table table{"excess by cause",
                {"cause", "contribution_us", "share", "gpu_idle_us", "in iteration 0"},
                {}};
    int64_t explained = 0;
    const auto add_cause = [&](const std::string& cause, const IntervalSet& time, int64_t count) {
      const int64_t ns = contribution(time, windows);
      add("first_iteration." + cause, Nanoseconds{ns}, "us");
      table.rows.push_back({cause, Nanoseconds{ns}, ratio(ns, excess),
                            Nanoseconds{(time - busy).length_within(windows[0])}, count});
      return ns;
    };
    IntervalSet allocator;
    int64_t allocator_calls = 0;
    for (std::size_t i = 0; i < kIterationCauses; ++i) {
      const auto cause = static_cast<IterationCause>(i);
      const int64_t count = causes.count(cause, windows[0]);
      if (!is_allocator_cause(cause)) {
        explained += add_cause(cause_name(cause), causes[cause], count);
        continue;
      }
      allocator = allocator | causes[cause];
      allocator_calls += count;
      add_cause(std::string("allocator.") + cause_name(cause), causes[cause], count);
      if (cause == IterationCause::HostAllocation)
        explained += add_cause("allocator", allocator, allocator_calls);
    }
    add("first_iteration.unexplained", Nanoseconds{excess - explained}, "us");
    table.rows.push_back({"unexplained",
                          Nanoseconds{excess - explained},
                          ratio(excess - explained, excess),
                          {},
                          {}});
    report.tables.push_back(std::move(table));
    report.notes.push_back("iterations are " + model.step_source +
                           "; first_use is inferred: kernel launches of more than 100 medians, "
                           "which load modules or make a context");
    if (model.steps.front().number != 0)
      report.notes.push_back("the first step of the file is " +
                             std::to_string(model.steps.front().number) +
                             ", perhaps not the first of the program");
  }
  if (!windows.empty()) report.tables.push_back(iteration_table(model, windows, busy));
  report.tables.push_back(longest_calls(model, causes));
  return report;
}

}  // namespace notape::trace
