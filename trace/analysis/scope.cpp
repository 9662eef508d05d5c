#include "trace/analysis/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/error.h"
#include "trace/analysis/whole_file.h"

namespace notape::trace {
namespace {

// Clocks that drift apart by more have moved by more than a us in a step of 10 ms.
constexpr double kLargestDriftPpm = 100;

}  // namespace

Scope::Scope(const TraceModel& model, const Selection& selection)
    : model_(model),
      file_(std::make_shared<WholeFile>(model)),
      selection_(selection),
      devices_(file_->devices()) {
  if (selection.device) {
    if (std::find(devices_.begin(), devices_.end(), *selection.device) == devices_.end())
      throw ValueError("{} has no ops of device {}", model.path, *selection.device);
    devices_ = {*selection.device};
  }
  if (!selection.first_step) return;
  const int64_t last = selection.last_step.value_or(*selection.first_step);
  for (const ModelStep& step : model.steps)
    if (*selection.first_step <= step.number && step.number <= last) steps_.push_back(&step);
  host_time_ = time_of(steps_);
  if (!steps_.empty()) return;
  if (model.steps.empty()) throw ValueError("{} has no step marks; see --step-regex", model.path);
  throw ValueError("{} has no step {}: its steps are {} to {}", model.path, *selection.first_step,
                   model.steps.front().number, model.steps.back().number);
}

Scope::Scope(const Scope& whole, const ModelStep& step)
    : model_(whole.model_),
      file_(whole.file_),
      selection_(whole.selection_),
      devices_(whole.devices_),
      steps_({&step}) {
  selection_.first_step = selection_.last_step = step.number;
  host_time_ = time_of(steps_);
}

Scope Scope::of_step(const ModelStep& step) const { return Scope(*this, step); }

Scope Scope::of_all_steps() const {
  Scope all = *this;
  all.selection_.first_step = all.selection_.last_step = {};
  all.steps_.clear();
  all.host_time_ = {};
  return all;
}

Interval Scope::span() const {
  if (host_time_.empty()) return model_.time;
  return {host_time_.parts().front().begin, host_time_.parts().back().end};
}

std::vector<const ModelStep*> Scope::steps_or_all() const {
  if (!steps_.empty()) return steps_;
  std::vector<const ModelStep*> all;
  for (const ModelStep& step : model_.steps) all.push_back(&step);
  return all;
}

bool Scope::has_host_time(int64_t begin) const {
  return steps_.empty() || host_time_.contains(begin);
}

bool Scope::has(const GpuOp& op) const {
  if (selection_.stream && op.stream != *selection_.stream) return false;
  if (steps_.empty()) return true;
  return op.call != kNowhere &&
         has_host_time(model_.calls[static_cast<std::size_t>(op.call)].time.begin);
}

std::vector<const GpuOp*> Scope::gpu_ops(int64_t device) const {
  std::vector<const GpuOp*> ops;
  const auto add = [&](const GpuOp& op) {
    const bool is_selected = !selection_.stream || op.stream == *selection_.stream;
    if (op.device == device && is_selected) ops.push_back(&op);
  };
  if (steps_.empty()) {
    for (const GpuOp* op : file_->ops_of(device)) add(*op);
    return ops;
  }
  each(file_->saturation(device, selection_.saturation_depth).launches,
       [&](const LaunchDepth& launch) {
         for (const uint32_t place : model_.launched_by(*launch.call)) add(model_.gpu_ops[place]);
       });
  std::sort(ops.begin(), ops.end());  // by their places in the model
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
  doubt(kNeedsCalls, model_.calls.empty(), "no API calls");
  doubt(kNeedsMemory, model_.memory.empty(), "no [memory] events");
  doubt(kNeedsSteps | kNeedsThreeSteps, model_.steps.empty(), "no step marks");
  doubt(kNeedsThreeSteps, !model_.steps.empty() && model_.steps.size() < 3,
        "fewer than three steps");
  doubt(kNeedsLinks, model_.has_graphs, "CUDA graphs present");
  doubt(kNeedsLinks, counts.unlinked > 0, fmt::format("{} unlinked ops", counts.unlinked));
  doubt(kNeedsGpu | kNeedsLinks, counts.early > 0,
        fmt::format("{} ops start before their launch", counts.early));
  doubt(kNeedsLinks, counts.ambiguous_links > 0,
        fmt::format("{} ops fit several launches of a correlation", counts.ambiguous_links));
  doubt(kNeedsGpu | kNeedsLinks, counts.ambiguous_owners > 0,
        fmt::format("{} ops fit launches of several processes", counts.ambiguous_owners));
  doubt(kNeedsGpu | kNeedsLinks, counts.without_owner > 0,
        fmt::format("{} rows of the GPU belong to no process", counts.without_owner));
  doubt(kNeedsGpu | kNeedsLinks, counts.stream_overlaps > 0,
        fmt::format("{} ops overlap others of their stream", counts.stream_overlaps));
  doubt(kNeedsSteps | kNeedsThreeSteps, counts.step_overlaps > 0,
        fmt::format("{} steps overlap the one before", counts.step_overlaps));
  doubt(kNeedsOps, counts.overlapping > 0 && !model_.has_whole_microseconds,
        fmt::format("{} ops reach out of the op around them", counts.overlapping));
  doubt(kNeedsFinerUs, model_.has_whole_microseconds, "whole-us time stamps");
  doubt(kNeedsNoStacks, model_.has_stacks, "stacks recorded");
  doubt(0, model_.device_kind == "emulated", "emulated: stated costs, not measurements");
  doubt(0, model_.dropped > 0, fmt::format("{} dropped records", model_.dropped));
  doubt(0, std::abs(model_.drift_ppm) > kLargestDriftPpm, "clock drift");
  doubt(0, model_.is_truncated, "truncated file");
  doubt(0, counts.bad_time > 0, fmt::format("{} rows without a usable time", counts.bad_time));
  doubt(0, counts.repeated_rows > 0, fmt::format("{} rows are there twice", counts.repeated_rows));
  doubt(0, counts.unread_rows > 0,
        fmt::format("{} rows of phases that are not read", counts.unread_rows));
  doubt(0, model_.is_of_several() && !(needs & kOfAllProcesses),
        fmt::format("rows of {} processes together", model_.processes.size()));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

Window Scope::window_of(const ModelStep& step) const {
  return {"step", step.name, step.time.begin - model_.origin, step.time.end - model_.origin};
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
    metric.window = {"file", "", model_.time.begin - model_.origin,
                     model_.time.end - model_.origin};
  } else {
    metric.window = window_of(*steps_.front());
    metric.window.end_ns = steps_.back()->time.end - model_.origin;
    if (steps_.size() > 1) {
      metric.window.kind = "steps";
      metric.window.name += " to " + steps_.back()->name;
    }
  }
  return metric;
}

Metric Scope::no_data(std::string name, const char* unit, const std::string& why,
                      unsigned needs) const {
  Metric result = metric(std::move(name), {}, unit, 0, needs);
  result.reason = result.reason == "no data" ? why : why + "; " + result.reason;
  return result;
}

Metric Scope::metric_of_step(const ModelStep& step, std::string name, Value value, const char* unit,
                             uint64_t n, unsigned needs) const {
  Metric result = metric(std::move(name), std::move(value), unit, n, needs);
  result.window = window_of(step);
  return result;
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
