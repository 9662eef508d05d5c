// A latency report for programs.
#include <nlohmann/json.hpp>

#include "ops/cpu/blas_description.h"
#include "trace/latency/latency.h"
#include "trace/latency/metrics.h"
#include "trace/latency/words.h"

namespace notape::trace {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Samples& samples) {
  return {{"minimum_ns", samples.minimum}, {"median_ns", samples.median},
          {"p95_ns", samples.p95},         {"mean_ns", samples.mean},
          {"mad_ns", samples.mad},         {"batches_ns", samples.ns}};
}

Json rows_of(const LatencyReport& report) {
  Json rows = Json::array();
  for (const LatencyRow& row : report.rows)
    rows.push_back({{"name", row.name},
                    {"class", name_of(row.work)},
                    {"what", row.what},
                    {"unit", "ns"},
                    {"untraced", to_json(row.untraced)},
                    {"traced", to_json(row.traced)},
                    {"tracer_cost_ns", row.tracer_cost_ns()},
                    {"paper_2017_ns", row.paper_ns > 0 ? Json(row.paper_ns) : Json()}});
  return rows;
}

Json libraries_of(const LatencyReport& report) {
  Json libraries = Json::array();
  for (const LibraryRow& row : report.libraries) {
    Json classes = Json::object();
    for (std::size_t i = 0; i < std::size(kWorkClasses); ++i)
      classes[std::string(kWorkNames[i])] =
          row.classes[i].empty() ? Json() : to_json(row.classes[i]);
    libraries.push_back({{"key", row.key},
                         {"name", row.name},
                         {"reason", row.reason},
                         {"untraced", std::move(classes)}});
  }
  return libraries;
}

Json curves_of(const LatencyReport& report) {
  Json curves = Json::array();
  for (const LatencyCurve& curve : report.curves) {
    Json points = Json::array();
    for (std::size_t i = 0; i < curve.sizes.size(); ++i) {
      const Samples& samples = curve.samples[i];
      const auto figure = [&](double ns) { return samples.empty() ? Json() : Json(ns); };
      points.push_back({{"floats", curve.sizes[i]},
                        {"minimum_ns", figure(samples.minimum)},
                        {"median_ns", figure(samples.median)},
                        {"p95_ns", figure(samples.p95)},
                        {"mean_ns", figure(samples.mean)},
                        {"n", samples.ns.size()}});
    }
    const std::vector<CurvePoint> measured = curve.points();
    curves.push_back({{"library", curve.key.empty() ? "notape" : curve.key},
                      {"class", name_of(curve.work)},
                      {"words", measured.empty() ? "" : crossover(measured).words},
                      {"points", std::move(points)}});
  }
  return curves;
}

}  // namespace

Json latency_json(const LatencyReport& report) {
  Json metrics = Json::array();
  for (const Metric& metric : latency_metrics(report))
    metrics.push_back(Json::parse(metric.json()));
  Json json = {{"schema", "notape.latency/1"},
               {"date", report.date},
               {"machine",
                {{"cpu", report.cpu},
                 {"openblas", blas::description()},
                 {"threads", report.threads},
                 {"load", report.load},
                 {"compiler", report.compiler}}},
               {"operation", report.operation},
               {"floats", kLatencySize},
               {"repetitions", report.repetitions},
               {"recorder_cost_ns",
                {{"operation", report.recorder_cost.operation_ns},
                 {"node", report.recorder_cost.node_ns},
                 {"range", report.recorder_cost.range_ns}}},
               {"results", rows_of(report)},
               {"metrics", std::move(metrics)}};
  if (!report.libraries.empty()) json["libraries"] = libraries_of(report);
  if (!report.curves.empty()) json["curves"] = curves_of(report);
  for (const GateVerdict& verdict : report.gates)
    json["gates"].push_back(
        {{"gate", verdict.gate}, {"holds", verdict.failure.empty()}, {"failure", verdict.failure}});
  json["note"] = kAboutThePaper;
  if (report.repetitions < report.planned) json["interrupted_before"] = report.planned;
  return json;
}

}  // namespace notape::trace
