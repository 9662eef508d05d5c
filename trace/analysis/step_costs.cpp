#include "trace/analysis/step_costs.h"

#include <algorithm>
#include <map>

#include "trace/analysis/quantile.h"
#include "trace/analysis/whole_file.h"

namespace notape::trace {
namespace {

/// Over `steps` numbers, of which those that are not given are 0.
int64_t median_with_zeros(std::vector<int64_t> numbers, std::size_t steps) {
  const std::size_t zeros = steps - numbers.size(), place = std::min(steps - 1, steps / 2);
  if (place < zeros) return 0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(place - zeros);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

}  // namespace

const char* cost_kind_name(CostKind kind) {
  constexpr const char* kNames[] = {"op self", "API call", "outside", "user range", "GPU op"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_user_range(const TraceModel& model, const Annotation& annotation) {
  return !model.name(annotation.name).starts_with("ProfilerStep#");
}

StepCosts::StepCosts(const Scope& scope, const std::vector<Interval>& windows)
    : of_step_(windows.size()), totals_(windows.size(), std::vector<int64_t>(kCostKinds)) {
  const TraceModel& model = scope.model();
  const DispatchTimes& times = scope.file().dispatch_times();
  const auto& calls = scope.file().all_outermost_calls();
  const IntervalSet busy = time_of(model.ops) | time_of(model.calls);
  using Key = std::pair<CostKind, std::string_view>;
  std::map<Key, uint32_t> places;
  std::vector<std::vector<int64_t>> samples;  // of the steps that have it
  for (std::size_t step = 0; step < windows.size(); ++step) {
    const Interval& window = windows[step];
    std::map<Key, int64_t> sums;
    for (const HostOp& op : rows_in(model.ops, window)) {
      sums[{CostKind::OpSelf, model.name(op.name)}] += times.host_self(model.place_of(op));
    }
    for (const ApiCall* call : rows_in(calls, window))
      sums[{CostKind::ApiCall, model.name(call->name)}] += call->time.length();
    sums[{CostKind::Outside, "outside ops and calls"}] =
        window.length() - busy.length_within(window);
    for (const Annotation& annotation : rows_in(model.annotations, window)) {
      if (is_user_range(model, annotation))
        sums[{CostKind::Range, model.name(annotation.name)}] += annotation.time.length();
    }
    for (const ApiCall& call : rows_in(model.calls, window)) {
      for (const uint32_t place : model.launched_by(call)) {
        const GpuOp& op = model.gpu_ops[place];
        if (std::binary_search(scope.devices().begin(), scope.devices().end(), op.device))
          sums[{CostKind::GpuOp, model.name(op.name)}] += op.time.length();
      }
    }
    for (const auto& [key, ns] : sums) {
      const auto [place, is_new] = places.try_emplace(key, static_cast<uint32_t>(rows_.size()));
      if (is_new) {
        rows_.push_back({key.first, key.second, 0});
        samples.emplace_back();
      }
      samples[place->second].push_back(ns);
      of_step_[step].push_back({place->second, ns});
      totals_[step][kind_place(key.first)] += ns;
    }
  }
  for (std::size_t i = 0; i < rows_.size(); ++i)
    rows_[i].median_ns = median_with_zeros(std::move(samples[i]), windows.size());
}

std::vector<StepCost> StepCosts::medians() const {
  std::vector<StepCost> costs;
  for (const Row& row : rows_) costs.push_back({row.kind, row.name, row.median_ns, row.median_ns});
  return costs;
}

std::vector<StepCost> StepCosts::more_in(std::size_t step) const {
  std::vector<StepCost> costs;
  for (const auto& [place, ns] : of_step_[step])
    if (ns > rows_[place].median_ns)
      costs.push_back({rows_[place].kind, rows_[place].name, ns, rows_[place].median_ns});
  std::stable_sort(costs.begin(), costs.end(),
                   [](const StepCost& a, const StepCost& b) { return a.more() > b.more(); });
  return costs;
}

std::vector<StepCost> StepCosts::more_in(std::size_t step, CostKind kind, std::size_t most) const {
  std::vector<StepCost> costs = more_in(step);
  std::erase_if(costs, [&](const StepCost& cost) { return cost.kind != kind; });
  costs.resize(std::min(costs.size(), most));
  return costs;
}

}  // namespace notape::trace
