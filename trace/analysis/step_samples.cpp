#include "trace/analysis/step_samples.h"

#include <algorithm>
#include <cmath>

#include "trace/analysis/analyses.h"

namespace notape::trace {
namespace {

struct Figure {
  const char* name;
  const char* metric;
  Report (*analysis)(const Scope&);
};

Report ahead(const Scope& scope) { return queue_ahead(scope); }

constexpr Figure kFigures[] = {
    {"dispatch.p50", "dispatch.pre_launch.p50", dispatch},
    {"dispatch.p95", "dispatch.pre_launch.p95", dispatch},
    {"dispatch.end_to_end.p50", "dispatch.end_to_end.p50", dispatch},
    {"dispatch.host_self.p50", "dispatch.host_self.p50", dispatch},
    {"dispatch.tensor.p50", "dispatch.tensor.pre_launch.p50", dispatch},
    {"dispatch.differentiable.p50", "dispatch.differentiable.pre_launch.p50", dispatch},
    {"dispatch.backward.p50", "dispatch.backward.pre_launch.p50", dispatch},
    {"idle.busy", "idle.busy", idle},
    {"idle.total", "idle.total", idle},
    {"idle.host_wait", "idle.host_wait", idle},
    {"idle.launch_latency", "idle.launch_latency", idle},
    {"idle.kernel_wait", "idle.kernel_wait", idle},
    {"idle.dependency", "idle.dependency", idle},
    {"overlap.f_gpu", "overlap.f_gpu", overlap},
    {"overlap.f_cpu", "overlap.f_cpu", overlap},
    {"queue.blocked", "queue.blocked", queue},
    {"run_ahead.max", "run_ahead.max", queue},
    {"launch_delay.p50", "launch_delay.p50", queue},
    {"alloc.calls", "alloc.calls", alloc},
    {"alloc.stall_cpu", "alloc.stall_cpu", alloc},
    {"alloc.stall_gpu", "alloc.stall_gpu", alloc},
    {"queue_ahead.raw", "queue_ahead.raw", ahead},
    {"queue_ahead.corrected", "queue_ahead.corrected", ahead},
    {"queue_ahead.t_cpu", "queue_ahead.t_cpu", ahead},
    {"queue_ahead.t_gpu", "queue_ahead.t_gpu", ahead},
};

void add_figures(std::map<std::string, StepSamples>& samples, const Scope& scope) {
  std::map<decltype(Figure::analysis), Report> reports;
  for (const Figure& figure : kFigures) {
    if (!reports.contains(figure.analysis))
      reports.emplace(figure.analysis, figure.analysis(scope));
    StepSamples& figures = samples[figure.name];
    const Metric* metric = reports.at(figure.analysis).find(figure.metric);
    if (!metric) continue;
    figures.unit = metric->unit;
    if (figures.reason.empty()) figures.reason = metric->reason;
    if (!metric->value.is_nothing()) figures.values.push_back(metric->value.number());
  }
}

}  // namespace

double StepSamples::median() const {
  return values[std::min(values.size() - 1, values.size() / 2)];
}

/// The largest k for which at most 2.5 % of binomial(n, 1/2) lie at k or below, plus 1: so many
/// values may be cut off at each end. 0 if not even one may.
std::size_t StepSamples::rank() const {
  const auto n = static_cast<double>(values.size());
  // As a logarithm: from 1,075 values on 2^-n is 0.
  double log_probability = -n * std::log(2.0), below = 0;
  std::size_t k = 0;
  for (; 2 * k < values.size(); ++k) {
    if ((below += std::exp(log_probability)) > 0.025) break;
    log_probability += std::log((n - static_cast<double>(k)) / (static_cast<double>(k) + 1));
  }
  return k == 0 ? 0 : k - 1;
}

namespace {

void add_samples(std::map<std::string, StepSamples>& samples, const TraceModel& model,
                 const Selection& selection) {
  const Scope all(model, selection);
  const std::vector<const ModelStep*> steps = all.steps_or_all();
  StepSamples& times = samples["step.time"];
  times.unit = "us";
  for (const ModelStep* step : steps) {
    times.values.push_back(Value(Nanoseconds{step->time.length()}).number());
    add_figures(samples, all.of_step(*step));
  }
  if (steps.empty()) add_figures(samples, all);
  for (auto& [name, figures] : samples) figures.asked += std::max<std::size_t>(1, steps.size());
}

}  // namespace

std::map<std::string, StepSamples> step_samples(const TraceModel& model,
                                                const Selection& selection) {
  std::map<std::string, StepSamples> samples;
  if (!model.is_of_several())
    add_samples(samples, model, selection);
  else
    for (const TraceModel& part : of_processes(model)) add_samples(samples, part, selection);
  for (auto& [name, figures] : samples) {
    figures.without = figures.asked - figures.values.size();
    std::sort(figures.values.begin(), figures.values.end());
  }
  return samples;
}

}  // namespace notape::trace
