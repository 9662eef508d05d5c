// rho = T_gpu / T_cpu of a set of GPU ops. T_gpu: when at least one of them ran. T_cpu: from the
// start of the first op to the return of the last launch, without blocking syncs and data loading;
// corrected: without the time in which launch calls waited for a place in a full queue, too.
#include <algorithm>
#include <span>

#include "autograd/error.h"
#include "trace/analysis/analyses.h"
#include "trace/analysis/whole_file.h"
#include "trace/model/name_pattern.h"

namespace notape::trace {
namespace {

constexpr std::size_t kRowsWithoutOps = 20;

/// Some GPU ops of one device, in the order of their launches, and the op that the host began with.
struct Stretch {
  const ModelStep* step = nullptr;  ///< null: the file has none
  int64_t start = 0;
  std::vector<const GpuOp*> ops;
};

class QueueAhead {
 public:
  QueueAhead(const Scope& scope, const QueueAheadOptions& options)
      : scope_(scope),
        model_(scope.model()),
        options_(options),
        from_(options.from),
        waits_(scope.file().waits()) {}

  void add_device(Report& report, int64_t device) {
    const Saturation& saturation =
        scope_.file().saturation(device, scope_.selection().saturation_depth);
    std::vector<const ModelStep*> steps = scope_.steps_or_all();
    if (steps.empty()) steps.push_back(nullptr);
    for (const ModelStep* step : steps) {
      const Stretch stretch = stretch_of(step, device, saturation);
      add_metrics(report, stretch, saturation, device);
      if (steps.size() == 1) add_ops(report, stretch);
    }
  }

 private:
  /// What the host begins in the step, or all.
  template <typename Row>
  static std::span<const Row> rows_of(const std::vector<Row>& rows, const ModelStep* step) {
    return step ? rows_in(rows, step->time) : std::span<const Row>(rows);
  }

  Stretch stretch_of(const ModelStep* step, int64_t device, const Saturation& saturation) const {
    Stretch stretch{step, 0, {}};
    const std::span<const HostOp> ops = rows_of(model_.ops, step);
    const auto first = std::find_if(ops.begin(), ops.end(), [&](const HostOp& op) {
      return options_.from.empty() || from_.is_in(model_.name(op.name));
    });
    if (first == ops.end()) {
      if (options_.from.empty()) return stretch;
      throw ValueError("no op{} is named like '{}'", step ? " of " + step->name : "",
                       options_.from);
    }
    stretch.start = first->time.begin;
    for (const LaunchDepth& launch : rows_of(saturation.launches, step)) {
      if (launch.call->time.begin < stretch.start) continue;
      for (const uint32_t place : model_.launched_by(*launch.call)) {
        const GpuOp& op = model_.gpu_ops[place];
        const std::optional<int64_t>& stream = scope_.selection().stream;
        if (op.device != device || (stream && op.stream != *stream) ||
            (options_.ops && std::ssize(stretch.ops) >= options_.ops))
          continue;
        stretch.ops.push_back(&op);
      }
    }
    return stretch;
  }

  const ApiCall& call_of(const GpuOp& op) const {
    return model_.calls[static_cast<std::size_t>(op.call)];
  }

  void add_metrics(Report& report, const Stretch& stretch, const Saturation& saturation,
                   int64_t device) const {
    int64_t last_return = stretch.start, backpressure = 0;
    for (const GpuOp* op : stretch.ops) last_return = std::max(last_return, call_of(*op).time.end);
    if (!stretch.ops.empty()) {
      const int64_t first = call_of(*stretch.ops.front()).time.begin;
      const int64_t last = call_of(*stretch.ops.back()).time.begin;
      for (const LaunchDepth& launch : rows_in(saturation.launches, {first, last + 1}))
        backpressure += launch.blocked_ns;
    }
    const int64_t t_cpu =
        last_return - stretch.start - waits_.length_within({stretch.start, last_return});
    const int64_t t_gpu = time_of(stretch.ops).length();
    const auto add = [&](const char* name, Value value, const char* unit) {
      const unsigned needs = kNeedsGpu | kNeedsLinks | kNeedsOps | kNeedsSteps;
      const uint64_t n = stretch.ops.size();
      report.metrics.push_back(
          stretch.step
              ? scope_.metric_of_step(*stretch.step, name, std::move(value), unit, n, needs)
              : scope_.metric(name, std::move(value), unit, n, needs));
      report.metrics.back().device = device;
      report.metrics.back().stream = scope_.selection().stream;
    };
    add("queue_ahead.raw", t_cpu > 0 ? ratio(t_gpu, t_cpu) : Value(), "ratio");
    add("queue_ahead.corrected",
        t_cpu > backpressure ? ratio(t_gpu, t_cpu - backpressure) : Value(), "ratio");
    add("queue_ahead.t_gpu", Nanoseconds{t_gpu}, "us");
    add("queue_ahead.span", Nanoseconds{span_of(stretch.ops).length()}, "us");
    add("queue_ahead.t_cpu", Nanoseconds{t_cpu}, "us");
    add("queue_ahead.backpressure", Nanoseconds{backpressure}, "us");
  }

  /// Host and GPU beside each other, from the first op on.
  void add_ops(Report& report, const Stretch& stretch) const {
    Table table{"first ops",
                {"op", "op_start_us", "op_end_us", "launch_start_us", "launch_end_us",
                 "gpu_start_us", "gpu_end_us", "gpu op"},
                {}};
    const auto since_start = [&](int64_t time) { return Nanoseconds{time - stretch.start}; };
    for (const GpuOp* op : stretch.ops) {
      if (!options_.ops && table.rows.size() == kRowsWithoutOps) break;
      const ApiCall& call = call_of(*op);
      Value name, start, end;
      if (call.op != kNowhere) {
        const HostOp& host = model_.ops[static_cast<std::size_t>(call.op)];
        name = std::string(model_.name(host.name));
        start = since_start(host.time.begin);
        end = since_start(host.time.end);
      }
      table.rows.push_back({name, start, end, since_start(call.time.begin),
                            since_start(call.time.end), since_start(op->time.begin),
                            since_start(op->time.end), std::string(model_.name(op->name))});
    }
    report.tables.push_back(std::move(table));
  }

  const Scope& scope_;
  const TraceModel& model_;
  QueueAheadOptions options_;
  NamePattern from_;
  const IntervalSet& waits_;  // of the host, for other reasons than a full queue
};

}  // namespace

Report queue_ahead(const Scope& scope, const QueueAheadOptions& options) {
  Report report;
  report.title = "queue-ahead ratio of " + scope.model().path;
  QueueAhead analysis(scope, options);
  for (const int64_t device : scope.devices()) analysis.add_device(report, device);
  if (scope.devices().empty())
    for (const char* name : {"queue_ahead.raw", "queue_ahead.corrected"})
      report.metrics.push_back(scope.metric(name, {}, "ratio", 0, kNeedsGpu));
  report.notes.push_back(
      "above 1 the host runs ahead of the GPU. Where the launch queue is full, launch calls wait, "
      "and the host seems as slow as the GPU: corrected has that time taken out");
  return report;
}

}  // namespace notape::trace
