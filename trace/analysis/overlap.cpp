// A: when dispatching threads worked; B: when the GPU did. f_gpu = |A B| / |B|, f_cpu = |A B| /
// |A|. Of steps: f_gpu is about the GPU work that they launched, beside all host work; f_cpu about
// the host work in them, beside all GPU work.
#include "trace/analysis/analyses.h"
#include "trace/analysis/host_time.h"

namespace notape::trace {
namespace {

IntervalSet in_steps(const Scope& scope, const IntervalSet& time) {
  if (scope.steps().empty()) return time;
  std::vector<Interval> steps;
  for (const ModelStep* step : scope.steps()) steps.push_back(step->time);
  return time & IntervalSet(std::move(steps));
}

}  // namespace

Report overlap(const Scope& scope) {
  const TraceModel& model = scope.model();
  const Selection& selection = scope.selection();
  Report report;
  report.title = "CPU-GPU overlap of " + model.path;
  std::vector<Saturation> saturations;
  for (const int64_t device : model.devices())
    saturations.push_back(find_saturation(model, device, selection.saturation_depth));
  const IntervalSet all_work =
      host_work_time(model, saturations, {selection.all_threads, selection.keep_blocked});
  const IntervalSet work = in_steps(scope, all_work);
  const auto host_rows = static_cast<uint64_t>(model.ops.size() + model.calls.size());
  report.metrics.push_back(
      scope.metric("overlap.host_work", Nanoseconds{work.length()}, "us", host_rows));
  for (const int64_t device : scope.devices()) {
    const std::vector<const GpuOp*> ops = scope.gpu_ops(device);
    const IntervalSet busy = busy_time(ops);
    const int64_t gpu_hidden = (all_work & busy).length();
    const int64_t host_hidden = (work & whole_busy_time(model, device)).length();
    const auto add = [&](const char* name, Value value, const char* unit) {
      Metric metric = scope.metric(name, std::move(value), unit, ops.size(), kNeedsGpu);
      metric.device = device;
      report.metrics.push_back(std::move(metric));
    };
    const bool gpu_is_shorter = busy.length() <= work.length();
    add("overlap.gpu_busy", Nanoseconds{busy.length()}, "us");
    add("overlap.both", Nanoseconds{gpu_hidden}, "us");
    add("overlap.f_gpu", ratio(gpu_hidden, busy.length()), "ratio");
    add("overlap.f_cpu", ratio(host_hidden, work.length()), "ratio");
    add("overlap.f_min",
        gpu_is_shorter ? ratio(gpu_hidden, busy.length()) : ratio(host_hidden, work.length()),
        "ratio");
  }
  if (scope.devices().empty())
    for (const char* name : {"overlap.f_gpu", "overlap.f_cpu", "overlap.f_min"})
      report.metrics.push_back(scope.metric(name, {}, "ratio", 0, kNeedsGpu));
  report.notes.push_back(std::string("host work: ops and API calls on ") +
                         (selection.all_threads ? "all host threads" : "threads that launch") +
                         ", without blocking syncs" +
                         (selection.keep_blocked ? "; blocked launch calls count as work"
                                                 : " and without blocked launch calls"));
  report.notes.push_back(
      "f_gpu: share of GPU work beside host work; low where the host is far ahead and waits, which "
      "is no fault. f_cpu: share of host work hidden behind GPU work");
  return report;
}

}  // namespace notape::trace
