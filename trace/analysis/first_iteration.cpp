// excess = T_0 - median(T_1, ...), where T_i runs from mark i to the next. A moment of host time
// belongs to the first cause that fits; a cause contributes its time in iteration 0 less its median
// over the later ones. Where iterations change their level to stay, the later ones are those before
// that. A file without API calls knows no causes but ops.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/analysis/analyses.h"
#include "trace/analysis/level_change.h"
#include "trace/analysis/quantile.h"
#include "trace/analysis/step_costs.h"
#include "trace/analysis/whole_file.h"

namespace notape::trace {
namespace {

constexpr std::size_t kLongestCalls = 10;

/// In the first window less the median over the others.
int64_t contribution(const IntervalSet& time, const std::vector<Interval>& windows) {
  std::vector<int64_t> later;
  for (std::size_t i = 1; i < windows.size(); ++i) later.push_back(time.length_within(windows[i]));
  return time.length_within(windows[0]) - median(std::move(later));
}

Table iteration_table(const Scope& scope, const IntervalSet& busy) {
  const TraceModel& model = scope.model();
  Table table{"iterations",
              {"step", "time_us", "gpu_busy_us", "busy share", "allocator calls", "stall_cpu_us",
               "stall_gpu_us"},
              {}};
  const IntervalSet& stalls = scope.file().allocator_time();
  const IntervalSet idle_stalls = stalls - busy;
  std::vector<int64_t> starts;  // of allocator calls
  for (const ApiCall& call : model.calls)
    if (is_allocator_call(call.kind)) starts.push_back(call.time.begin);
  const auto before = [&](int64_t time) {
    return std::lower_bound(starts.begin(), starts.end(), time) - starts.begin();
  };
  for (const ModelStep& step : model.steps) {
    const Interval window{step.time.begin, step.mark_end};
    Value busy_ns, share, calls, stall, idle_stall;
    if (model.has_gpu()) {
      busy_ns = Nanoseconds{busy.length_within(window)};
      share = ratio(busy_ns.ns(), window.length());
    }
    if (!model.calls.empty()) {
      calls = int64_t{before(window.end) - before(window.begin)};
      stall = Nanoseconds{stalls.length_within(window)};
      if (model.has_gpu()) idle_stall = Nanoseconds{idle_stalls.length_within(window)};
    }
    table.rows.push_back(
        {step.name, Nanoseconds{window.length()}, busy_ns, share, calls, stall, idle_stall});
  }
  return table;
}

/// The ops that take longer in the first iteration than in the median of the later ones.
Table op_table(const Scope& scope, const std::vector<Interval>& windows) {
  Table table{"excess by operator", {"op", "self_us", "median_us", "more_us"}, {}};
  std::map<std::string_view, int64_t> medians;
  for (const StepCost& cost : StepCosts(scope, {windows.begin() + 1, windows.end()}).medians())
    if (cost.kind == CostKind::OpSelf) medians[cost.name] = cost.ns;
  std::vector<StepCost> longer;
  for (StepCost cost : StepCosts(scope, {windows.front()}).medians()) {
    if (cost.kind != CostKind::OpSelf) continue;
    cost.median_ns = medians[cost.name];
    if (cost.more() > 0) longer.push_back(cost);
  }
  std::sort(longer.begin(), longer.end(), [](const StepCost& a, const StepCost& b) {
    return std::pair(-a.more(), a.name) < std::pair(-b.more(), b.name);
  });
  longer.resize(std::min(longer.size(), kLongestCalls));
  for (const StepCost& cost : longer)
    table.rows.push_back({std::string(cost.name), Nanoseconds{cost.ns}, Nanoseconds{cost.median_ns},
                          Nanoseconds{cost.more()}});
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
                          Nanoseconds{call->time.begin - model.origin},
                          Nanoseconds{call->time.length()},
                          cause == IterationCause::None ? Value() : Value(cause_name(cause))});
  }
  return table;
}

class FirstIteration {
 public:
  explicit FirstIteration(const Scope& scope)
      : scope_(scope),
        model_(scope.model()),
        causes_(scope.file().causes(scope.selection().saturation_depth)) {
    std::vector<Interval> busy_times;
    for (const int64_t device : scope.devices())
      for (const Interval& part : scope.file().busy(device).parts()) busy_times.push_back(part);
    busy_ = IntervalSet(std::move(busy_times));
    std::vector<int64_t> lengths;
    for (const ModelStep& step : model_.steps) {
      windows_.push_back({step.time.begin, step.mark_end});
      lengths.push_back(windows_.back().length());
    }
    if (const auto change = find_level_change(lengths)) {
      report_.notes.push_back(fmt::format(
          "from {} on iterations take {} us, before that {} us (medians): the first is compared "
          "with those before that alone",
          model_.steps[change->first].name, Value(Nanoseconds{change->after}).shown(),
          Value(Nanoseconds{change->before}).shown()));
      left_out_ = windows_.size() - change->first;
      windows_.resize(change->first);
    }
  }

  Report run() {
    report_.title = "first iteration of " + model_.path;
    if (windows_.size() >= 2)
      add_excess();
    else
      for (const char* name : {"first_iteration.excess", "first_iteration.unexplained"})
        add(name, {}, "us", 0);
    if (!windows_.empty()) report_.tables.push_back(iteration_table(scope_, busy_));
    if (!model_.calls.empty()) report_.tables.push_back(longest_calls(model_, causes_));
    return std::move(report_);
  }

 private:
  void add(const std::string& name, Value value, const char* unit, uint64_t n) {
    keep(scope_.metric(name, std::move(value), unit, n, kNeedsThreeSteps));
  }

  void keep(Metric metric) {
    if (left_out_ > 0) metric.excluded["after_level_change"] = left_out_;
    report_.metrics.push_back(std::move(metric));
  }

  void add_time(const std::string& name, int64_t ns) {
    add(name, Nanoseconds{ns}, "us", windows_.size());
  }

  /// Returns what the cause contributes.
  int64_t add_cause(const std::string& cause, const IntervalSet& time, Value count) {
    const int64_t ns = contribution(time, windows_);
    add_time("first_iteration." + cause, ns);
    Value idle;
    if (model_.has_gpu()) idle = Nanoseconds{(time - busy_).length_within(windows_[0])};
    table_.rows.push_back(
        {cause, Nanoseconds{ns}, ratio(ns, excess_), std::move(idle), std::move(count)});
    return ns;
  }

  void add_unknown(const std::string& cause, const char* why) {
    keep(scope_.no_data("first_iteration." + cause, "us", why, kNeedsThreeSteps));
    table_.rows.push_back({cause, {}, {}, {}, {}});
  }

  void add_excess() {
    std::vector<int64_t> later;
    for (std::size_t i = 1; i < windows_.size(); ++i) later.push_back(windows_[i].length());
    const int64_t steady = median(later);
    excess_ = windows_[0].length() - steady;
    add_time("first_iteration.time", windows_[0].length());
    add_time("first_iteration.steady_time", steady);
    add_time("first_iteration.excess", excess_);
    table_ = {"excess by cause",
              {"cause", "contribution_us", "share", "gpu_idle_us", "in iteration 0"},
              {}};
    const int64_t explained = add_causes() + add_ops();
    const int64_t rest = excess_ - explained;
    add_time("first_iteration.unexplained", rest);
    table_.rows.push_back({"unexplained", Nanoseconds{rest}, ratio(rest, excess_), {}, {}});
    report_.tables.push_back(std::move(table_));
    if (model_.calls.empty() && !model_.ops.empty())
      report_.tables.push_back(op_table(scope_, windows_));
    report_.notes.push_back("iterations are " + model_.step_source +
                            (model_.calls.empty()
                                 ? "; without API calls the only causes known are ops"
                                 : "; first_use is inferred: kernel launches of more than 100 "
                                   "medians, which load modules or make a context"));
    if (model_.steps.front().number != 0)
      report_.notes.push_back("the first step of the file is " +
                              std::to_string(model_.steps.front().number) +
                              ", perhaps not the first of the program");
  }

  int64_t add_causes() {
    IntervalSet allocator;
    int64_t allocator_calls = 0, explained = 0;
    for (std::size_t i = 0; i < kIterationCauses; ++i) {
      const auto cause = static_cast<IterationCause>(i);
      const std::string name =
          (is_allocator_cause(cause) ? "allocator." : "") + std::string(cause_name(cause));
      const bool is_last_of_allocator = cause == IterationCause::HostAllocation;
      if (cause == IterationCause::DataLoading && causes_[cause].empty()) {
        add_unknown(name, "no ranges that load data");
        continue;
      }
      if (cause != IterationCause::DataLoading && model_.calls.empty()) {
        add_unknown(name, "no API calls");
        if (is_last_of_allocator) add_unknown("allocator", "no API calls");
        continue;
      }
      const int64_t count = causes_.count(cause, windows_[0]);
      const int64_t ns = add_cause(name, causes_[cause], count);
      if (!is_allocator_cause(cause)) {
        explained += ns;
        continue;
      }
      allocator = allocator | causes_[cause];
      allocator_calls += count;
      if (is_last_of_allocator) explained += add_cause("allocator", allocator, allocator_calls);
    }
    return explained;
  }

  /// Without API calls: being inside an op, whatever it does there.
  int64_t add_ops() {
    if (!model_.calls.empty() || model_.ops.empty()) return 0;
    return add_cause("operators", time_of(model_.ops) - causes_[IterationCause::DataLoading],
                     rows_in(model_.ops, windows_[0]).size());
  }

  const Scope& scope_;
  const TraceModel& model_;
  const IterationCauses& causes_;
  IntervalSet busy_;
  std::vector<Interval> windows_;  // that are compared: from mark to mark
  uint64_t left_out_ = 0;
  int64_t excess_ = 0;
  Table table_;
  Report report_;
};

}  // namespace

Report first_iteration(const Scope& scope) { return FirstIteration(scope).run(); }

}  // namespace notape::trace
