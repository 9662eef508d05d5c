// A latency report as a table and as JSON.
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>

#include "trace/latency.h"

namespace notape::trace {
namespace {

constexpr const char* kAboutThePaper =
    "The 2017 paper's figures were taken from Python, on other hardware, and are no comparison of "
    "like with like.";

nlohmann::ordered_json to_json(const Samples& samples) {
  return {{"minimum_ns", samples.minimum},
          {"median_ns", samples.median},
          {"mad_ns", samples.mad},
          {"batches_ns", samples.ns}};
}

std::string cell(const Samples& samples) {
  return fmt::format("{:.1f} / {:.1f} +- {:.1f}", samples.minimum, samples.median, samples.mad);
}

}  // namespace

void print_latency(std::ostream& out, const LatencyReport& report) {
  fmt::print(out, "ns per operation: minimum / median +- spread (MAD) of {} interleaved batches\n",
             report.repetitions);
  if (report.repetitions < report.planned)
    fmt::print(out, "interrupted: {} of {} batches\n", report.repetitions, report.planned);
  fmt::print(out, "{:<25} {:>26} {:>26} {:>12} {:>11}\n", "", "untraced", "traced", "tracer cost",
             "2017 paper");
  for (const LatencyRow& row : report.rows) {
    const std::string paper = row.paper_ns > 0 ? fmt::format("{:.0f}", row.paper_ns) : "-";
    if (report.repetitions < report.planned)
      fmt::print(out, "interrupted: {} of {} batches\n", report.repetitions, report.planned);
    fmt::print(out, "{:<25} {:>26} {:>26} {:>12.1f} {:>11}\n", row.name, cell(row.untraced),
               cell(row.traced), row.tracer_cost_ns(), paper);
  }
  for (const LatencyRow& row : report.rows) fmt::print(out, "  {}: {}\n", row.name, row.what);
  fmt::print(out, "{}\n", kAboutThePaper);
  fmt::print(out, "machine: {}, {} threads, load {:.2f}, {}\n", report.cpu, report.threads,
             report.load, report.compiler);
}

nlohmann::ordered_json latency_json(const LatencyReport& report) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const LatencyRow& row : report.rows) {
    rows.push_back({{"name", row.name},
                    {"what", row.what},
                    {"unit", "ns"},
                    {"untraced", to_json(row.untraced)},
                    {"traced", to_json(row.traced)},
                    {"tracer_cost_ns", row.tracer_cost_ns()},
                    {"paper_2017_ns", row.paper_ns > 0 ? nlohmann::ordered_json(row.paper_ns)
                                                       : nlohmann::ordered_json()}});
  }
  nlohmann::ordered_json json = {{"schema", "notape.latency/1"},
                                 {"machine",
                                  {{"cpu", report.cpu},
                                   {"threads", report.threads},
                                   {"load", report.load},
                                   {"compiler", report.compiler}}},
                                 {"repetitions", report.repetitions},
                                 {"recorder_cost_ns",
                                  {{"operation", report.recorder_cost.operation_ns},
                                   {"node", report.recorder_cost.node_ns},
                                   {"range", report.recorder_cost.range_ns}}},
                                 {"results", std::move(rows)},
                                 {"note", kAboutThePaper}};
  if (report.repetitions < report.planned) json["interrupted_before"] = report.planned;
  return json;
}

}  // namespace notape::trace
