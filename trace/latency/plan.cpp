// What a measurement will have numbers of.
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <functional>
#include <thread>

#include "trace/latency/latency.h"

namespace notape::trace {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

LatencyRow row_of(WorkClass work, const std::string& operation) {
  const char sign = operation == "mul" ? '*' : '+';
  LatencyRow row;
  row.work = work;
  switch (work) {
    case WorkClass::Tensor:
      row.name = "tensor operation";
      row.what = fmt::format("a {} b, {} floats, no graph", sign, kLatencySize);
      row.paper_ns = 1700;
      break;
    case WorkClass::Differentiable:
      row.name = "differentiable operation";
      row.what = fmt::format("g {} h, {} floats, node recorded and dropped", sign, kLatencySize);
      row.paper_ns = 3400;
      break;
    case WorkClass::Backward:
      row.name = "backward node";
      row.what = fmt::format("chain of {} {}s: forward and backward, less forward, per node",
                             kChain, operation);
      break;
  }
  return row;
}

}  // namespace

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::vector<CurvePoint> LatencyCurve::points() const {
  std::vector<CurvePoint> points;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (!samples[i].empty()) points.push_back({sizes[i], samples[i].median});
  return points;
}

Samples LatencyReport::autograd_overhead() const {
  Samples samples = paired(rows[1].untraced, rows[0].untraced, std::minus());
  samples.minimum = rows[1].untraced.minimum - rows[0].untraced.minimum;
  return samples;
}

std::string LatencyReport::disturbance() const {
  if (threads == 0 || load < threads) return "";
  return fmt::format("the machine was busy: load {:.1f} on {} processors", load, threads);
}

LatencyReport planned_latency(const LatencyOptions& options) {
  LatencyReport report;
  report.operation = options.operation;
  report.cpu = cpu_model();
  report.compiler = "g++ " __VERSION__;
  report.date = today();
  report.threads = std::thread::hardware_concurrency();
  getloadavg(&report.load, 1);
  report.planned = options.repetitions;
  for (const WorkClass work : kWorkClasses) report.rows.push_back(row_of(work, options.operation));
  for (const OtherLibrary& other : options.others)
    report.libraries.push_back({other.key, other.name, other.missing, {}});
  if (!options.with_curve) return report;
  const std::vector<int64_t> sizes(std::begin(kCurveSizes), std::end(kCurveSizes));
  const std::vector<Samples> nothing(sizes.size());
  for (const WorkClass work : kWorkClasses)
    report.curves.push_back({"", "notape", work, sizes, nothing});
  for (const OtherLibrary& other : options.others)
    for (const WorkClass work : kWorkClasses)
      report.curves.push_back({other.key, other.name, work, sizes, nothing});
  return report;
}

}  // namespace notape::trace
