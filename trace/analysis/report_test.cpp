#include "trace/analysis/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

using ::testing::HasSubstr;
using testing::MicroTrace;
using testing::three_steps;

std::string written(const Report& report, ReportFormat format) {
  std::ostringstream out;
  write_report(out, report, format);
  return out.str();
}

TEST(Report, ValuesKeepAllTheirDigits) {
  EXPECT_EQ(Value(Nanoseconds{1'712'195'495'519'695'807}).json(), "1712195495519695.807");
  EXPECT_EQ(Value(Nanoseconds{-1}).shown(), "-0.001");
  EXPECT_EQ(Value(Nanoseconds{INT64_MIN}).shown(), "-9223372036854775.808");
  EXPECT_EQ(Value(0.1).json(), "0.1");
  EXPECT_EQ(Value(2.0 / 3).json(), "0.6666666666666666");
  EXPECT_EQ(Value(7).json(), "7");
  EXPECT_EQ(Value().json(), "null");
  EXPECT_EQ(Value().shown(), "-");
  EXPECT_EQ(Value("a\"b\x1b").json(), R"("a\"b\u001b")");
  EXPECT_EQ(Value("a\x1b").shown(), R"(a\x1b)");
}

TEST(Report, JsonMetricsCarryEverything) {
  Selection selection;
  selection.first_step = 2;
  const TraceModel model = three_steps().model();
  const auto json =
      nlohmann::json::parse(written(idle(Scope(model, selection)), ReportFormat::Json));
  const auto& metric = json["metrics"][0];
  EXPECT_EQ(metric["metric"], "idle.window");
  EXPECT_EQ(metric["value"], 20.25);
  EXPECT_EQ(metric["unit"], "us");
  EXPECT_EQ(metric["n"], 1);
  EXPECT_EQ(metric["device"], 0);
  EXPECT_EQ(metric["window"], nlohmann::json::parse(R"({"kind": "step",
      "name": "ProfilerStep#2", "start_ns": 40000, "end_ns": 70500})"));
  EXPECT_EQ(metric["clock"], "file");
  EXPECT_EQ(metric["excluded"], nlohmann::json::parse(R"({"unlinked": 0, "bad_time": 0})"));
  EXPECT_EQ(metric["reliable"], true);
  EXPECT_EQ(metric["reason"], "");
}

TEST(Report, SaysWhyAMetricIsNotToBeReliedOn) {
  const auto reason = [](const MicroTrace& trace, unsigned needs) {
    const TraceModel model = trace.model();
    return Scope(model, {}).doubts(needs);
  };
  MicroTrace trace = three_steps();
  EXPECT_EQ(reason(trace, ~0u & ~unsigned{kNeedsMemory}), "");
  EXPECT_EQ(reason(trace, kNeedsMemory), "no [memory] events");
  EXPECT_EQ(reason(MicroTrace(), kNeedsGpu), "no GPU rows");
  EXPECT_EQ(reason(MicroTrace(), kNeedsThreeSteps), "no step marks");
  EXPECT_EQ(reason(MicroTrace().step(0, 0, 5), kNeedsThreeSteps), "fewer than three steps");
  EXPECT_EQ(reason(three_steps().kernel(5, 1, 99), kNeedsLinks), "1 unlinked ops");
  EXPECT_EQ(reason(three_steps().kernel(5, 1, 100), kNeedsLinks),
            "1 ops start before their launch");
  EXPECT_EQ(reason(three_steps().slice("python_function", "f", 0, 5), kNeedsNoStacks),
            "stacks recorded");
  EXPECT_EQ(
      reason(three_steps().header(R"("metadata":{"device_kind":"emulated"},)"), kNeedsNothing),
      "emulated: stated costs, not measurements");
  EXPECT_EQ(reason(three_steps().header(R"("metadata":{"dropped":9},)"), kNeedsNothing),
            "9 dropped records");
  EXPECT_EQ(reason(three_steps().header(R"("metadata":{"drift_ppm":-101},)"), kNeedsNothing),
            "clock drift");
}

TEST(Report, OfACutFileNothingIsToBeReliedOn) {
  std::string text = three_steps().json();
  text.resize(text.size() - 5);
  const TraceModel model = load_model(testing::TextFile(text).path());
  const Scope scope(model, {});
  for (const Metric& metric : idle(scope).metrics)
    EXPECT_THAT(metric.reason, HasSubstr("truncated file")) << metric.name;
  ASSERT_EQ(check(scope).anomalies.size(), 1u);
  EXPECT_THAT(check(scope).anomalies[0], HasSubstr("ends in the middle"));
}

TEST(Report, WritesTablesAndCsv) {
  Report report;
  report.title = "a title";
  Metric metric;
  metric.name = "a.b";
  metric.value = Nanoseconds{1'500};
  metric.unit = "us";
  metric.n = 3;
  report.metrics = {metric};
  report.tables = {{"rows", {"name", "count"}, {{"a, \"b\"", 2}, {Value(), 10}}}};
  report.notes = {"a note"};
  report.anomalies = {"odd"};
  EXPECT_EQ(written(report, ReportFormat::Csv),
            "metric,value,unit,n,window,device,stream,reliable,reason\n"
            "a.b,1.500,us,3,file,,,true,\n"
            "\nrows\nname,count\n\"a, \"\"b\"\"\",2\n,10\n");
  EXPECT_EQ(written(report, ReportFormat::Table),
            "a title\n"
            "metric  value  unit  n  of  not reliable because\n"
            "a.b     1.500  us    3\n"
            "\nrows\n"
            "name    count\n"
            "a, \"b\"      2\n"
            "-          10\n"
            "\nnote: a note\nanomaly: odd\n");
  const auto json = nlohmann::json::parse(written(report, ReportFormat::Json));
  EXPECT_EQ(json["tables"][0]["rows"][0][0], "a, \"b\"");
  EXPECT_EQ(json["anomalies"][0], "odd");
  EXPECT_THROW(report["none"], std::out_of_range);
  EXPECT_THROW(report.table("none"), std::out_of_range);
}

TEST(Report, NamesFromFilesChangeNothingOnATerminal) {
  MicroTrace trace;
  trace.raw(R"({"ph":"X","cat":"cpu_op","name":"a\u001b[31m\n","pid":1,"tid":1,"ts":1.5,"dur":2})");
  const std::string text = written(testing::report_of(dispatch, trace), ReportFormat::Table);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr(R"(a\x1b[31m)"));
}

}  // namespace
}  // namespace notape::trace
