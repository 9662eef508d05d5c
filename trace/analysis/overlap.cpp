// A: when dispatching threads worked; B: when the GPU did. f_gpu = |A B| / |B|, f_cpu = |A B| /
// |A|. Of steps: f_gpu is about the GPU work that they launched, beside all host work; f_cpu about
// the host work in them, beside all GPU work.
#include "trace/analysis/analyses.h"
#include "trace/analysis/whole_file.h"

namespace notape::trace {

Report overlap(const Scope& scope) {
  const TraceModel& model = scope.model();
  const Selection& selection = scope.selection();
  Report report;
  report.title = "CPU-GPU overlap of " + model.path;
  const IntervalSet& all_work = scope.file().host_work(
      {selection.all_threads, selection.keep_blocked}, selection.saturation_depth);
  const IntervalSet work = scope.steps().empty() ? all_work : all_work & scope.host_time();
  const auto host_rows = static_cast<uint64_t>(model.ops.size() + model.calls.size());
  // Where nothing is launched, nobody knows which threads feed the GPU.
  const bool has_host = !model.launched.empty() || (selection.all_threads && host_rows > 0);
  const char* const why_not = model.calls.empty() ? "no API calls" : "no thread launches GPU work";
  const auto about_both = [&](const char* name, Value value, const char* unit, uint64_t n) {
    return has_host ? scope.metric(name, std::move(value), unit, n, kNeedsGpu)
                    : scope.no_data(name, unit, why_not, kNeedsGpu);
  };
  report.metrics.push_back(
      has_host ? scope.metric("overlap.host_work", Nanoseconds{work.length()}, "us", host_rows)
               : scope.no_data("overlap.host_work", "us", why_not));
  for (const int64_t device : scope.devices()) {
    const std::vector<const GpuOp*> ops = scope.gpu_ops(device);
    const IntervalSet busy = time_of(ops);
    const int64_t gpu_hidden = (all_work & busy).length();
    const int64_t host_hidden = (work & scope.file().busy(device, selection.stream)).length();
    const auto add = [&](Metric metric) {
      metric.device = device;
      metric.stream = selection.stream;
      report.metrics.push_back(std::move(metric));
    };
    const auto add_share = [&](const char* name, Value share) {
      add(about_both(name, std::move(share), "ratio", ops.size()));
    };
    const bool gpu_is_shorter = busy.length() <= work.length();
    add(scope.metric("overlap.gpu_busy", Nanoseconds{busy.length()}, "us", ops.size(), kNeedsGpu));
    add(about_both("overlap.both", Nanoseconds{gpu_hidden}, "us", ops.size()));
    add_share("overlap.f_gpu", ratio(gpu_hidden, busy.length()));
    add_share("overlap.f_cpu", ratio(host_hidden, work.length()));
    add_share("overlap.f_min", gpu_is_shorter ? ratio(gpu_hidden, busy.length())
                                              : ratio(host_hidden, work.length()));
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
