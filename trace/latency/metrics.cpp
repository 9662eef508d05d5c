#include "trace/latency/metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "trace/latency/words.h"

namespace notape::trace {
namespace {

/// A p95 of fewer is the slowest batch, or the next.
constexpr std::size_t kFewestForP95 = 20;

class Figures {
 public:
  explicit Figures(const LatencyReport& report)
      : took_ns_(report.took_ns), disturbance_(report.disturbance()) {}

  /// Nothing if `n` is 0.
  void add(std::string name, double value, const char* unit, uint64_t n, std::string reason = "") {
    Metric metric;
    metric.name = std::move(name);
    if (n > 0) metric.value = std::round(value * 1000) / 1000;
    metric.unit = unit;
    metric.n = n;
    metric.window = {"run", "", 0, took_ns_};
    metric.reason = n == 0 && reason.empty() ? "not measured" : std::move(reason);
    metric.clock = "steady";
    metrics_.push_back(std::move(metric));
  }
  void add_quantiles(const std::string& name, const Samples& samples, const std::string& why_not) {
    const std::size_t n = samples.ns.size();
    const std::string reason = why_not.empty() && n > 0 ? disturbance_ : why_not;
    std::string for_p95 = reason;
    if (n > 0 && n < kFewestForP95 && reason.empty())
      for_p95 = fmt::format("of fewer than {} batches", kFewestForP95);
    add(name + ".p50", samples.median, "ns", n, reason);
    add(name + ".p95", samples.p95, "ns", n, for_p95);
    add(name + ".mean", samples.mean, "ns", n, reason);
  }
  void add_recorded(const std::string& name, const TimeCounts& times, double recorder_ns) {
    std::string reason;
    if (times.n() > 0 && static_cast<double>(times.quantile(50)) < 10 * recorder_ns)
      reason = fmt::format("recording takes {:.0f} ns, a part of which is in it", recorder_ns);
    for (const uint64_t percent : {50, 95})
      add(fmt::format("{}.p{}", name, percent), static_cast<double>(times.quantile(percent)), "ns",
          times.n(), reason);
    add(name + ".mean", times.mean(), "ns", times.n(), reason);
  }

  std::vector<Metric> take() { return std::move(metrics_); }

 private:
  int64_t took_ns_;
  std::string disturbance_;
  std::vector<Metric> metrics_;
};

void add_row(Figures& figures, const LatencyRow& row, const LatencyReport& report) {
  const std::string name(name_of(row.work));
  const RecorderCost& cost = report.recorder_cost;
  const std::size_t traced = row.traced.ns.size();
  figures.add(name + ".minimum", row.untraced.minimum, "ns", row.untraced.ns.size());
  figures.add_quantiles(name, row.untraced, "");
  figures.add(name + ".traced.p50", row.traced.median, "ns", traced,
              traced > 0 ? report.disturbance() : "");
  figures.add(name + ".tracer_cost", row.tracer_cost_ns(), "ns", traced);
  const double recorder_ns = row.work == WorkClass::Backward ? cost.node_ns : cost.operation_ns;
  figures.add_recorded(name + ".total", row.recorded.total, recorder_ns);
  figures.add_recorded(name + ".self", row.recorded.self, recorder_ns);
  figures.add(name + ".pre_launch.p50", 0, "ns", 0, kNoLaunches);
  figures.add(name + ".instructions", row.instructions.value_or(0), "instructions",
              row.instructions ? 1 : 0, report.no_instructions);
}

void add_library(Figures& figures, const LibraryRow& row, const LatencyReport& report) {
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const std::string name = fmt::format("{}.{}", row.key, name_of(kWorkClasses[i]));
    figures.add_quantiles(name, row.classes[i], row.reason);
    const Samples ratios = paired(row.classes[i], report.rows[i].untraced, std::divides());
    figures.add(name + ".ratio", ratios.median, "ratio", ratios.ns.size(), row.reason);
  }
}

void add_curve(Figures& figures, const LatencyCurve& curve) {
  const std::string name =
      fmt::format("curve.{}{}{}", curve.key, curve.key.empty() ? "" : ".", name_of(curve.work));
  const std::vector<CurvePoint> points = curve.points();
  const Crossover found = points.empty() ? Crossover() : crossover(points);
  const std::size_t n = points.size();
  figures.add(name + ".dispatch", found.dispatch_ns, "ns", n);
  figures.add(name + ".per_1000", found.ns_per_1000, "ns", n);
  figures.add(name + ".crossover", found.size.value_or(0), "floats", found.size ? n : 0,
              n > 0 && !found.size ? found.words : "");
}

Table table_of(const std::vector<LatencyCurve>& curves) {
  Table table{"curve",
              {"library", "class", "floats", "minimum_ns", "p50_ns", "p95_ns", "mean_ns", "n"},
              {}};
  for (const LatencyCurve& curve : curves)
    for (std::size_t i = 0; i < curve.sizes.size(); ++i) {
      const Samples& samples = curve.samples[i];
      const auto figure = [&](double ns) { return samples.empty() ? Value() : Value(ns); };
      table.rows.push_back({curve.name, std::string(name_of(curve.work)), curve.sizes[i],
                            figure(samples.minimum), figure(samples.median), figure(samples.p95),
                            figure(samples.mean), samples.ns.size()});
    }
  return table;
}

}  // namespace

std::vector<Metric> latency_metrics(const LatencyReport& report) {
  Figures figures(report);
  for (const LatencyRow& row : report.rows) add_row(figures, row, report);
  const Samples overhead = report.autograd_overhead();
  figures.add("autograd_overhead.minimum", overhead.minimum, "ns", overhead.ns.size());
  figures.add_quantiles("autograd_overhead", overhead, "");
  for (const LibraryRow& row : report.libraries) add_library(figures, row, report);
  for (const LatencyCurve& curve : report.curves) add_curve(figures, curve);
  return figures.take();
}

Report latency_figures(const LatencyReport& report) {
  Report figures;
  figures.title = "dispatch latency";
  figures.metrics = latency_metrics(report);
  if (!report.curves.empty()) figures.tables.push_back(table_of(report.curves));
  if (!report.gates.empty()) {
    Table& gates = figures.tables.emplace_back(Table{"gates", {"gate", "holds", "failure"}, {}});
    for (const GateVerdict& verdict : report.gates)
      gates.rows.push_back(
          {verdict.gate, verdict.failure.empty() ? "true" : "false", verdict.failure});
  }
  return figures;
}

}  // namespace notape::trace
