// Per stream: queued(t) = launches begun - ops started, inflight(t) = launches begun - ops ended,
// weighted by time from the first launch to the last start. Per device: how full the launch queue
// was, which calls it blocked, and how much launched work lay before the GPU.
#include <algorithm>
#include <map>

#include "trace/analysis/analyses.h"
#include "trace/analysis/launch_curve.h"
#include "trace/analysis/quantile.h"
#include "trace/analysis/whole_file.h"

namespace notape::trace {
namespace {

struct Linked {
  const GpuOp* op;
  const ApiCall* call;
};

std::vector<Linked> linked_ops(const Scope& scope, int64_t device) {
  std::vector<Linked> linked;
  for (const GpuOp* op : scope.gpu_ops(device))
    if (op->call != kNowhere)
      linked.push_back({op, &scope.model().calls[static_cast<std::size_t>(op->call)]});
  return linked;
}

int64_t sum_of(const std::vector<int64_t>& numbers) {
  int64_t sum = 0;
  for (const int64_t number : numbers) sum += number;
  return sum;
}

class QueueReport {
 public:
  QueueReport(const Scope& scope, int64_t device)
      : scope_(scope),
        device_(device),
        linked_(linked_ops(scope, device)),
        saturation_(scope.file().saturation(device, scope.selection().saturation_depth)) {}

  void add_to(Report& report) {
    report_ = &report;
    add_streams();
    add_saturation();
    add_run_ahead();
    add_delays();
  }

 private:
  Metric& add(std::string name, Value value, const char* unit, uint64_t n, unsigned needs = 0) {
    report_->metrics.push_back(
        scope_.metric(std::move(name), std::move(value), unit, n, needs | kNeedsGpu | kNeedsLinks));
    report_->metrics.back().device = device_;
    return report_->metrics.back();
  }

  void add_streams() {
    std::map<int64_t, LaunchCurve> queued, in_flight;
    for (const auto& [op, call] : linked_) {
      queued[op->stream].add(call->time.begin, op->time.begin);
      in_flight[op->stream].add(call->time.begin, op->time.end);
    }
    for (auto& [stream, curve] : queued) {
      const TimeWeighted depth = curve.time_weighted();
      const auto add_here = [&](const char* name, Value value, const char* unit) {
        add(name, std::move(value), unit, curve.size()).stream = stream;
      };
      add_here("queue.mean", depth.mean(), "ops");
      add_here("queue.p50", depth.quantile(50), "ops");
      add_here("queue.p95", depth.quantile(95), "ops");
      add_here("queue.max", depth.max(), "ops");
      add_here("queue.in_flight_max", in_flight[stream].time_weighted().max(), "ops");
      if (scope_.selection().as_hta)
        add_here("queue.hta.mean_of_events", curve.mean_of_changes(), "ops");
    }
  }

  void add_saturation() {
    std::vector<int64_t> depths, blocked;
    scope_.each(saturation_.launches, [&](const LaunchDepth& launch) {
      depths.push_back(launch.depth);
      if (launch.blocked_ns > 0) blocked.push_back(launch.blocked_ns);
    });
    LaunchCurve all_streams;
    for (const auto& [op, call] : linked_) all_streams.add(call->time.begin, op->time.begin);
    const TimeWeighted curve = all_streams.time_weighted();
    add("queue.saturation_depth", saturation_.depth, "ops", depths.size());
    add("queue.full_share", curve.share_at_least((9 * saturation_.depth + 9) / 10), "ratio",
        depths.size());
    add("queue.median_launch", Nanoseconds{saturation_.median_call_ns}, "us", depths.size());
    add("queue.blocked_calls", blocked.size(), "calls", depths.size());
    add("queue.blocked", Nanoseconds{sum_of(blocked)}, "us", depths.size());
    add("queue.at_launch_max",
        depths.empty() ? Value() : Value(*std::max_element(depths.begin(), depths.end())), "ops",
        depths.size());
    report_->notes.push_back("device " + std::to_string(device_) + ": a full queue has " +
                             std::to_string(saturation_.depth) + " ops, " +
                             (saturation_.is_found ? "as launch calls that get slow show"
                              : scope_.selection().saturation_depth.has_value()
                                  ? "as given"
                                  : "assumed: no launch call gets slow"));
  }

  void add_run_ahead() {
    const std::vector<int64_t>& everywhere =
        scope_.file().run_ahead(device_, scope_.selection().saturation_depth);
    std::vector<int64_t> ahead;
    scope_.each(saturation_.launches, [&](const LaunchDepth& launch) {
      ahead.push_back(everywhere[static_cast<std::size_t>(&launch - saturation_.launches.data())]);
    });
    const uint64_t n = ahead.size();
    const auto count = static_cast<int64_t>(std::max<uint64_t>(1, n));
    add("run_ahead.mean", Nanoseconds{sum_of(ahead) / count}, "us", n);
    add("run_ahead.max",
        n ? Value(Nanoseconds{*std::max_element(ahead.begin(), ahead.end())}) : Value(), "us", n);
  }

  void add_delays() {
    std::vector<int64_t> delays, leads;
    int64_t started_in_call = 0;
    for (const auto& [op, call] : linked_) {
      leads.push_back(op->time.begin - call->time.end);
      delays.push_back(std::max<int64_t>(0, leads.back()));
      started_in_call += leads.back() < 0;
    }
    const uint64_t n = delays.size();
    const auto at = [&](const std::vector<int64_t>& numbers, std::size_t percent) {
      return n ? Value(Nanoseconds{quantile(numbers, percent)}) : Value();
    };
    add("launch_delay.p50", at(delays, 50), "us", n, kNeedsFinerUs);
    add("launch_delay.p95", at(delays, 95), "us", n, kNeedsFinerUs);
    add("launch_delay.max", at(delays, 100), "us", n, kNeedsFinerUs);
    add("launch_delay.lead_min", at(leads, 0), "us", n, kNeedsFinerUs);
    add("launch_delay.started_in_call", started_in_call, "ops", n);
  }

  const Scope& scope_;
  int64_t device_;
  std::vector<Linked> linked_;
  const Saturation& saturation_;
  Report* report_ = nullptr;
};

}  // namespace

Report queue(const Scope& scope) {
  Report report;
  report.title = "launch queues of " + scope.model().path;
  for (const int64_t device : scope.devices()) QueueReport(scope, device).add_to(report);
  if (scope.devices().empty())
    for (const char* name :
         {"queue.mean", "queue.max", "queue.blocked", "run_ahead.max", "launch_delay.p50"})
      report.metrics.push_back(scope.metric(name, {}, name[0] == 'q' ? "ops" : "us", 0, kNeedsGpu));
  return report;
}

}  // namespace notape::trace
