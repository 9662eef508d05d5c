#include "trace/analysis/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/error.h"

namespace notape::trace {
namespace {

// Clocks that drift apart by more have moved by more than a us in a step of 10 ms.
constexpr double kLargestDriftPpm = 100;

}  // namespace

Scope::Scope(const TraceModel& model, const Selection& selection)
    : model_(model), selection_(selection), devices_(model.devices()) {
  if (selection.device) {
    if (std::find(devices_.begin(), devices_.end(), *selection.device) == devices_.end())
      throw ValueError("{} has no ops of device {}", model.path, *selection.device);
    devices_ = {*selection.device};
  }
  if (!selection.first_step) return;
  const int64_t last = selection.last_step.value_or(*selection.first_step);
  for (const ModelStep& step : model.steps)
    if (*selection.first_step <= step.number && step.number <= last) steps_.push_back(&step);
  if (!steps_.empty()) return;
  if (model.steps.empty()) throw ValueError("{} has no step marks; see --step-regex", model.path);
  throw ValueError("{} has no step {}: its steps are {} to {}", model.path, *selection.first_step,
                   model.steps.front().number, model.steps.back().number);
}

std::vector<const ModelStep*> Scope::steps_or_all() const {
  if (!steps_.empty()) return steps_;
  std::vector<const ModelStep*> all;
  for (const ModelStep& step : model_.steps) all.push_back(&step);
  return all;
}

bool Scope::has_host_time(int64_t begin) const {
  return steps_.empty() || std::any_of(steps_.begin(), steps_.end(), [&](const ModelStep* step) {
           return step->time.contains(begin);
         });
}

bool Scope::has(const GpuOp& op) const {
  if (selection_.stream && op.stream != *selection_.stream) return false;
  if (steps_.empty()) return true;
  return op.call != kNowhere &&
         has_host_time(model_.calls[static_cast<std::size_t>(op.call)].time.begin);
}

std::vector<const GpuOp*> Scope::gpu_ops(int64_t device) const {
  std::vector<const GpuOp*> ops;
  for (const GpuOp& op : model_.gpu_ops)
    if (op.device == device && has(op)) ops.push_back(&op);
  return ops;
}

std::string Scope::doubts(unsigned needs) const {
  std::vector<std::string> reasons;
  const auto doubt = [&](unsigned need, bool holds, std::string reason) {
    if ((need == 0 || (needs & need)) && holds) reasons.push_back(std::move(reason));
  };
  const ModelCounts& counts = model_.counts;
  doubt(kNeedsGpu | kNeedsLinks, !model_.has_gpu(), "no GPU rows");
  doubt(kNeedsOps, model_.ops.empty(), "no ops");
  doubt(kNeedsMemory, model_.memory.empty(), "no [memory] events");
  doubt(kNeedsSteps | kNeedsThreeSteps, model_.steps.empty(), "no step marks");
  doubt(kNeedsThreeSteps, !model_.steps.empty() && model_.steps.size() < 3,
        "fewer than three steps");
  doubt(kNeedsLinks, model_.has_graphs, "CUDA graphs present");
  doubt(kNeedsLinks, counts.unlinked > 0, fmt::format("{} unlinked ops", counts.unlinked));
  doubt(kNeedsLinks, counts.early > 0,
        fmt::format("{} ops start before their launch", counts.early));
  doubt(kNeedsFinerUs, model_.has_whole_microseconds, "whole-us time stamps");
  doubt(kNeedsNoStacks, model_.has_stacks, "stacks recorded");
  doubt(0, model_.device_kind == "sim", "simulated device");
  doubt(0, model_.dropped > 0, fmt::format("{} dropped records", model_.dropped));
  doubt(0, std::abs(model_.drift_ppm) > kLargestDriftPpm, "clock drift");
  doubt(0, model_.is_truncated, "truncated file");
  return fmt::format("{}", fmt::join(reasons, "; "));
}

Window Scope::window_of(const ModelStep& step) const {
  return {"step", step.name, step.time.begin - model_.time.begin,
          step.time.end - model_.time.begin};
}

Metric Scope::metric(std::string name, Value value, const char* unit, uint64_t n,
                     unsigned needs) const {
  Metric metric;
  metric.name = std::move(name);
  metric.unit = unit;
  metric.n = n;
  metric.excluded = {{"unlinked", model_.counts.unlinked + model_.counts.early},
                     {"bad_time", model_.counts.bad_time}};
  metric.reason = doubts(needs);
  if (n > 0) metric.value = std::move(value);
  if (metric.value.is_nothing() && metric.reason.empty()) metric.reason = "no data";
  if (metric.value.is_nothing()) metric.n = 0;
  if (steps_.empty()) {
    metric.window = {"file", "", 0, model_.time.length()};
  } else {
    metric.window = window_of(*steps_.front());
    metric.window.end_ns = steps_.back()->time.end - model_.time.begin;
    if (steps_.size() > 1) {
      metric.window.kind = "steps";
      metric.window.name += " to " + steps_.back()->name;
    }
  }
  return metric;
}

Metric Scope::metric_of_step(const ModelStep& step, std::string name, Value value, const char* unit,
                             uint64_t n, unsigned needs) const {
  Metric result = metric(std::move(name), std::move(value), unit, n, needs);
  result.window = window_of(step);
  return result;
}

IntervalSet busy_time(const std::vector<const GpuOp*>& ops) {
  std::vector<Interval> times;
  for (const GpuOp* op : ops) times.push_back(op->time);
  return IntervalSet(std::move(times));
}

IntervalSet whole_busy_time(const TraceModel& model, int64_t device) {
  std::vector<Interval> times;
  for (const GpuOp& op : model.gpu_ops)
    if (op.device == device) times.push_back(op.time);
  return IntervalSet(std::move(times));
}

Interval span_of(const std::vector<const GpuOp*>& ops) {
  Interval span;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    span.begin = i == 0 ? ops[i]->time.begin : std::min(span.begin, ops[i]->time.begin);
    span.end = i == 0 ? ops[i]->time.end : std::max(span.end, ops[i]->time.end);
  }
  return span;
}

Value ratio(int64_t a, int64_t b) {
  if (b == 0) return {};
  return static_cast<double>(a) / static_cast<double>(b);
}

}  // namespace notape::trace
