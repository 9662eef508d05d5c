#include "trace/latency/latency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "ops/parallel.h"
#include "trace/latency/curve_picture.h"
#include "trace/latency/metrics.h"

namespace notape::trace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Another library whose every call takes 1000 ns; it ends after `answers` batches.
OtherLibrary slow_library(int answers = 1'000'000) {
  return {"libtorch",
          "LibTorch",
          {"sh", "-c",
           "printf 'ready\\tSlow 1, C++\\n'; n=0; while [ $n -lt " + std::to_string(answers) +
               " ] && read -r a b c d; do echo $((1000 * d)); n=$((n+1)); done"}};
}

nlohmann::json parsed(const LatencyReport& report) {
  std::stringstream text;
  text << latency_json(report);
  return nlohmann::json::parse(text.str());
}

std::string table_of_report(const LatencyReport& report) {
  std::ostringstream table;
  print_latency(table, report);
  return table.str();
}

const nlohmann::json& metric_of(const nlohmann::json& json, const std::string& name) {
  for (const auto& metric : json.at("metrics"))
    if (metric.at("metric") == name) return metric;
  throw std::out_of_range("there is no metric " + name);
}

TEST(Latency, MeasuresEveryRowUntracedAndTraced) {
  constexpr int kRepetitions = 5;
  const int threads = get_num_threads();
  const LatencyReport report = measure_latency({.repetitions = kRepetitions});
  EXPECT_EQ(get_num_threads(), threads) << "the one thread was for the measurement";
  ASSERT_EQ(report.rows.size(), 3U);
  for (const LatencyRow& row : report.rows) {
    EXPECT_GT(row.untraced.minimum, 0) << row.name;
    EXPECT_GT(row.traced.minimum, 0) << row.name;
    EXPECT_EQ(row.untraced.ns.size(), std::size_t{kRepetitions}) << row.name;
    EXPECT_EQ(row.traced.ns.size(), std::size_t{kRepetitions}) << row.name;
    // A batch takes a given time: on a slow or busy machine that is a few operations, of all
    // batches the same number.
    EXPECT_GT(row.recorded.total.n(), 0U) << row.name;
    EXPECT_EQ(row.recorded.total.n() % kRepetitions, 0U) << row.name;
    EXPECT_GT(row.recorded.self.quantile(50), 0) << row.name;
  }
  EXPECT_EQ(report.rows[0].paper_ns, 1700);
  EXPECT_EQ(report.rows[1].paper_ns, 3400);
  EXPECT_GT(report.recorder_cost.operation_ns, 0);

  const nlohmann::json json = parsed(report);
  EXPECT_EQ(json["schema"], "notape.latency/1");
  EXPECT_THAT(json["date"], ::testing::MatchesRegex("20..-[01].-[0-3]."));
  EXPECT_EQ(json["results"].size(), 3U);
  EXPECT_GT(json["results"][0]["untraced"]["minimum_ns"], 0);
  EXPECT_EQ(json["results"][1]["paper_2017_ns"], 3400);
  EXPECT_TRUE(json["results"][2]["paper_2017_ns"].is_null());
  EXPECT_THAT(table_of_report(report),
              AllOf(HasSubstr("differentiable operation"), HasSubstr("on other hardware")));
}

/// A report as if it had been measured: 30 rounds of 32, 80 and 50 ns.
LatencyReport as_if_measured(const LatencyOptions& options) {
  LatencyReport report = planned_latency(options);
  report.load = 0;
  report.threads = 2;
  report.repetitions = report.planned;
  report.took_ns = 1'000;
  report.recorder_cost = {40, 40, 40};
  const std::size_t n = static_cast<std::size_t>(options.repetitions);
  const double ns[] = {32, 80, 50};
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    LatencyRow& row = report.rows[i];
    row.untraced = make_samples(std::vector<double>(n, ns[i]));
    row.traced = make_samples(std::vector<double>(n, ns[i] + 45));
    row.recorded.total.add(100);
    row.recorded.self.add(60);
  }
  report.no_instructions = "no perf counters: none here";
  return report;
}

TEST(LatencyFigures, AreMetricsWithEverythingThatTheyAreWorth) {
  const nlohmann::json json = parsed(as_if_measured({.repetitions = 30}));
  for (const auto& metric : json["metrics"])
    for (const char* key :
         {"metric", "value", "unit", "n", "window", "clock", "excluded", "reliable", "reason"})
      EXPECT_TRUE(metric.contains(key)) << metric.dump() << " has no " << key;
  const auto& tensor = metric_of(json, "tensor.p50");
  EXPECT_EQ(tensor["value"], 32);
  EXPECT_EQ(tensor["unit"], "ns");
  EXPECT_EQ(tensor["n"], 30);
  EXPECT_EQ(tensor["reliable"], true);
  EXPECT_EQ(tensor["clock"], "steady");
  EXPECT_EQ(metric_of(json, "tensor.tracer_cost")["value"], 45);
  EXPECT_EQ(metric_of(json, "autograd_overhead.p50")["value"], 48);
  EXPECT_EQ(metric_of(json, "autograd_overhead.p50")["n"], 30);
  EXPECT_EQ(metric_of(json, "backward.total.p50")["value"], 100);
  EXPECT_EQ(metric_of(json, "backward.self.p50")["value"], 60);
  EXPECT_THAT(metric_of(json, "backward.self.p50")["reason"], HasSubstr("recording takes 40 ns"));
}

TEST(LatencyFigures, WithoutDataAreNullWithAReasonAndNeverZero) {
  const nlohmann::json json = parsed(as_if_measured({.repetitions = 30}));
  for (const char* name : {"tensor.pre_launch.p50", "backward.pre_launch.p50"}) {
    EXPECT_TRUE(metric_of(json, name)["value"].is_null());
    EXPECT_EQ(metric_of(json, name)["n"], 0);
    EXPECT_EQ(metric_of(json, name)["reliable"], false);
    EXPECT_THAT(metric_of(json, name)["reason"], HasSubstr("nothing is launched"));
  }
  const auto& instructions = metric_of(json, "tensor.instructions");
  EXPECT_TRUE(instructions["value"].is_null());
  EXPECT_EQ(instructions["reason"], "no perf counters: none here");
  for (const Metric& metric : latency_metrics(planned_latency({.with_curve = true}))) {
    EXPECT_TRUE(metric.value.is_nothing()) << metric.name;
    EXPECT_FALSE(metric.reason.empty()) << metric.name;
  }
}

TEST(LatencyFigures, SayWhenTheyAreOfFewBatchesOrABusyMachine) {
  EXPECT_THAT(metric_of(parsed(as_if_measured({.repetitions = 5})), "tensor.p95")["reason"],
              HasSubstr("of fewer than 20 batches"));
  LatencyReport busy = as_if_measured({.repetitions = 30});
  busy.load = 2.5;
  const nlohmann::json json = parsed(busy);
  EXPECT_EQ(metric_of(json, "tensor.p50")["reason"],
            "the machine was busy: load 2.5 on 2 processors");
  EXPECT_EQ(metric_of(json, "tensor.traced.p50")["reliable"], false);
  EXPECT_EQ(metric_of(json, "tensor.minimum")["reliable"], true);
  EXPECT_THAT(table_of_report(busy), HasSubstr("minima are what is least disturbed"));
}

TEST(Latency, InstructionsStandBesideNanoseconds) {
  LatencyReport report = as_if_measured({.repetitions = 30});
  report.rows[0].instructions = 512.5;
  report.no_instructions = "";
  EXPECT_EQ(metric_of(parsed(report), "tensor.instructions")["value"], 512.5);
  EXPECT_THAT(table_of_report(report), HasSubstr("512.5"));
}

TEST(Latency, GatesStandInEveryFormat) {
  LatencyReport report = as_if_measured({.repetitions = 30});
  report.gates = {{"tensor.p50<=60ns", ""}, {"tensor.p50<=9ns", "tensor.p50<=9ns: 32.0 ns is"}};
  const nlohmann::json json = parsed(report);
  EXPECT_EQ(json["gates"][0]["holds"], true);
  EXPECT_EQ(json["gates"][1]["holds"], false);
  EXPECT_EQ(json["gates"][1]["failure"], "tensor.p50<=9ns: 32.0 ns is");
  EXPECT_THAT(table_of_report(report), AllOf(HasSubstr("gate holds: tensor.p50<=60ns"),
                                             HasSubstr("gate FAILS: tensor.p50<=9ns: 32.0")));
  EXPECT_EQ(latency_figures(report).table("gates").rows[1][1].text(), "false");
}

TEST(Latency, OtherLibrariesTakeTurns) {
  const LatencyReport report = measure_latency(
      {.repetitions = 3, .others = {slow_library(), {"pytorch", "PyTorch", {}, "not here"}}});
  ASSERT_EQ(report.libraries.size(), 2U);
  EXPECT_EQ(report.libraries[0].name, "Slow 1, C++");
  EXPECT_EQ(report.libraries[0].classes[0].median, 1000);
  EXPECT_EQ(report.libraries[0].classes[2].median, 10) << "100 nodes are one call";
  EXPECT_EQ(report.libraries[0].classes[1].ns.size(), 3U);
  const nlohmann::json json = parsed(report);
  EXPECT_EQ(metric_of(json, "libtorch.tensor.p50")["value"], 1000);
  const double own = metric_of(json, "tensor.p50")["value"];
  const double ratio = metric_of(json, "libtorch.tensor.ratio")["value"];
  EXPECT_NEAR(ratio, 1000 / own, 0.01 * ratio);
  EXPECT_TRUE(metric_of(json, "pytorch.tensor.p50")["value"].is_null());
  EXPECT_EQ(metric_of(json, "pytorch.tensor.p50")["reason"], "not here");
  EXPECT_TRUE(json["libraries"][1]["untraced"]["tensor"].is_null());
  EXPECT_THAT(table_of_report(report), AllOf(HasSubstr("Slow 1, C++"), HasSubstr("1000.0"),
                                             HasSubstr("not measured: not here")));
}

TEST(Latency, ALibraryThatEndsInTheMiddleIsLeftOut) {
  const LatencyReport report = measure_latency({.repetitions = 4, .others = {slow_library(70)}});
  EXPECT_EQ(report.repetitions, 4);
  EXPECT_EQ(report.rows[0].untraced.ns.size(), 4U);
  EXPECT_LT(report.libraries[0].classes[2].ns.size(), 4U);
  EXPECT_THAT(report.libraries[0].reason, HasSubstr("it ended"));
}

TEST(Latency, EndsBetweenRoundsOnceThatIsEnough) {
  int asked = 0;
  const LatencyReport report =
      measure_latency({.repetitions = 1000, .enough = [&] { return ++asked > 3; }});
  EXPECT_EQ(report.repetitions, 4);
  EXPECT_EQ(report.planned, 1000);
  EXPECT_EQ(parsed(report)["interrupted_before"], 1000);
  EXPECT_THAT(table_of_report(report), HasSubstr("interrupted: 4 of 1000 batches"));
}

TEST(LatencyCurve, HasEverySizeAndClass) {
  const LatencyReport report = measure_latency(
      {.repetitions = 3, .operation = "mul", .with_curve = true, .others = {slow_library()}});
  ASSERT_EQ(report.curves.size(), 6U);
  for (const LatencyCurve& curve : report.curves)
    EXPECT_EQ(curve.points().size(), std::size(kCurveSizes)) << curve.name;
  EXPECT_EQ(report.curves[3].name, "Slow 1, C++");
  EXPECT_EQ(report.curves[3].points()[4].ns, 1000);
  const std::vector<CurvePoint> tensor = report.curves[0].points();
  EXPECT_GT(tensor.back().ns, 3 * tensor.front().ns) << "65536 products are work";
  const nlohmann::json json = parsed(report);
  EXPECT_EQ(json["curves"].size(), 6U);
  EXPECT_EQ(json["curves"][0]["points"].size(), std::size(kCurveSizes));
  EXPECT_GT(metric_of(json, "curve.tensor.crossover")["value"], 1);
  EXPECT_TRUE(metric_of(json, "curve.libtorch.tensor.crossover")["value"].is_null());
  EXPECT_THAT(metric_of(json, "curve.libtorch.tensor.crossover")["reason"],
              HasSubstr("does not outweigh"));
  EXPECT_THAT(table_of_report(report), HasSubstr("work outweighs it from about"));
  EXPECT_EQ(latency_figures(report).table("curve").rows.size(), 6 * std::size(kCurveSizes));

  const std::string picture = latency_curve_svg(report);
  EXPECT_THAT(picture, AllOf(HasSubstr("backward node"), HasSubstr("Slow 1, C++"),
                             HasSubstr("prefers-color-scheme: dark"), Not(HasSubstr("nan"))));
}

TEST(LatencyCurve, AloneIsOnePanelWithALinePerClass) {
  LatencyReport report = planned_latency({.with_curve = true});
  for (LatencyCurve& curve : report.curves)
    for (std::size_t i = 0; i < curve.sizes.size(); ++i)
      curve.samples[i] = make_samples({30 + 0.02 * static_cast<double>(curve.sizes[i])});
  const std::string picture = latency_curve_svg(report);
  EXPECT_THAT(picture, HasSubstr(">time per operation<"));
  EXPECT_THAT(picture,
              AllOf(HasSubstr("crossing c0"), HasSubstr("crossing c1"), HasSubstr("crossing c2")));
  EXPECT_THAT(latency_curve_svg(planned_latency({.with_curve = true})), HasSubstr("</svg>"))
      << "interrupted before the first point";
}

}  // namespace
}  // namespace notape::trace
