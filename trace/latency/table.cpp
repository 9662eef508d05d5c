// A latency report for people.
#include <fmt/ostream.h>

#include <functional>

#include "trace/latency/latency.h"
#include "trace/latency/words.h"

namespace notape::trace {
namespace {

std::string ns_cell(const Samples& samples, double ns) {
  return samples.empty() ? "-" : fmt::format("{:.1f}", ns);
}

void print_untraced_line(std::ostream& out, std::string_view name, const Samples& samples,
                         std::string_view instructions, std::string_view paper) {
  fmt::print(out, "{:<25}{:>10}{:>10}{:>10}{:>10}{:>7}{:>14}{:>12}\n", name,
             ns_cell(samples, samples.minimum), ns_cell(samples, samples.median),
             ns_cell(samples, samples.p95), ns_cell(samples, samples.mean), samples.ns.size(),
             instructions, paper);
}

void print_untraced(std::ostream& out, const LatencyReport& report) {
  fmt::print(out, "{:<25}{:>10}{:>10}{:>10}{:>10}{:>7}{:>14}{:>12}\n", "recorder off", "minimum",
             "p50", "p95", "mean", "n", "instructions", "2017 paper");
  for (const LatencyRow& row : report.rows)
    print_untraced_line(out, row.name, row.untraced,
                        row.instructions ? fmt::format("{:.1f}", *row.instructions) : "-",
                        row.paper_ns > 0 ? fmt::format("{:.0f}", row.paper_ns) : "-");
  print_untraced_line(out, "autograd overhead", report.autograd_overhead(), "", "");
}

void print_traced(std::ostream& out, const LatencyReport& report) {
  fmt::print(out, "\n{:<25}{:>10}{:>12}{:>11}{:>10}{:>10}{:>10}{:>9}{:>12}\n", "recorder on",
             "batch p50", "tracer cost", "total p50", "p95", "self p50", "p95", "n", "pre-launch");
  for (const LatencyRow& row : report.rows) {
    const TimeCounts &total = row.recorded.total, &self = row.recorded.self;
    fmt::print(out, "{:<25}{:>10.1f}{:>12.1f}{:>11}{:>10}{:>10}{:>10}{:>9}{:>12}\n", row.name,
               row.traced.median, row.tracer_cost_ns(), total.quantile(50), total.quantile(95),
               self.quantile(50), self.quantile(95), total.n(), "-");
  }
}

void print_libraries(std::ostream& out, const LatencyReport& report) {
  if (report.libraries.empty()) return;
  fmt::print(out, "\n{:<34}{:>10}{:>8}{:>16}{:>8}{:>12}{:>8}\n", "p50, in turn", "tensor", "times",
             "differentiable", "times", "backward", "times");
  fmt::print(out, "{:<34}{:>10.1f}{:>24.1f}{:>20.1f}\n", "notape", report.rows[0].untraced.median,
             report.rows[1].untraced.median, report.rows[2].untraced.median);
  for (const LibraryRow& row : report.libraries) {
    if (row.classes[0].empty()) {
      fmt::print(out, "{:<34}not measured: {}\n", row.name, row.reason);
      continue;
    }
    fmt::print(out, "{:<34}", row.name);
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
      constexpr int kWidths[] = {10, 16, 12};
      const Samples& samples = row.classes[i];
      const auto ratios = paired(samples, report.rows[i].untraced, std::divides());
      fmt::print(out, "{:>{}}{:>8}", ns_cell(samples, samples.median), kWidths[i],
                 ns_cell(ratios, ratios.median));
    }
    fmt::print(out, "\n");
    if (!row.reason.empty()) fmt::print(out, "  not to the end: {}\n", row.reason);
  }
}

void print_curves(std::ostream& out, const LatencyReport& report) {
  for (std::size_t first = 0; first < report.curves.size(); first += std::size(kWorkClasses)) {
    const LatencyCurve* const curves = &report.curves[first];
    if (curves[0].points().empty()) continue;
    fmt::print(out, "\n{:<30}{:>14}{:>16}{:>15}\n", curves[0].name + ", p50 by floats", "tensor",
               "differentiable", "backward");
    for (std::size_t i = 0; i < curves[0].sizes.size(); ++i)
      fmt::print(out, "{:>30}{:>14}{:>16}{:>15}\n", curves[0].sizes[i],
                 ns_cell(curves[0].samples[i], curves[0].samples[i].median),
                 ns_cell(curves[1].samples[i], curves[1].samples[i].median),
                 ns_cell(curves[2].samples[i], curves[2].samples[i].median));
    for (std::size_t i = 0; i < std::size(kWorkClasses); ++i)
      if (!curves[i].points().empty())
        fmt::print(out, "  {}: {}\n", report.rows[i].name, crossover(curves[i].points()).words);
  }
}

}  // namespace

void print_latency(std::ostream& out, const LatencyReport& report) {
  fmt::print(out,
             "{} of {} floats, one thread of the CPU: ns per operation in {} batches of each, "
             "in turn\n",
             report.operation, kLatencySize, report.repetitions);
  if (report.repetitions < report.planned)
    fmt::print(out, "interrupted: {} of {} batches\n", report.repetitions, report.planned);
  fmt::print(out, "\n");
  print_untraced(out, report);
  print_traced(out, report);
  print_libraries(out, report);
  print_curves(out, report);
  fmt::print(out, "\n");
  for (const LatencyRow& row : report.rows) fmt::print(out, "{}: {}\n", row.name, row.what);
  fmt::print(out, "autograd overhead: differentiable less tensor operation of the same round\n");
  fmt::print(out,
             "total, self: single operations, as recorded, with a part of the tracer's cost; "
             "self is without those that they call\n");
  fmt::print(out, "pre-launch: none, {}\n", kNoLaunches);
  if (!report.libraries.empty())
    fmt::print(out, "times: that of the other library over that of notape, median of the rounds\n");
  if (!report.no_instructions.empty())
    fmt::print(out, "instructions: none, {}\n", report.no_instructions);
  fmt::print(out, "{}\n", kAboutThePaper);
  for (const GateVerdict& verdict : report.gates)
    fmt::print(out, "gate {}\n",
               verdict.failure.empty() ? "holds: " + verdict.gate : "FAILS: " + verdict.failure);
  if (const std::string busy = report.disturbance(); !busy.empty())
    fmt::print(out, "{}: minima are what is least disturbed\n", busy);
  fmt::print(out, "machine: {}, {} threads, load {:.2f}, {}\n", report.cpu, report.threads,
             report.load, report.compiler);
}

}  // namespace notape::trace
