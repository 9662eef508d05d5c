// The public traces, to the last digit. The numbers were computed by other programs, in exact
// arithmetic.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "trace/analysis/analyses.h"
#include "trace/analysis/quantile.h"
#include "trace/analysis/saturation.h"
#include "trace/reader/trace_reader.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

constexpr const char* kFirst6 = "kineto_resnet50_first6_w0";
constexpr const char* kV100 = "hta_resnet_ns_v100";
constexpr const char* kAlexnet = "hta_alexnet_malloc_a100";
constexpr const char* kBert = "tracelens_h100_bert_small";
constexpr const char* kCpuOnly = "hta_cpu_only";
constexpr const char* kAll[] = {kFirst6, kV100, kAlexnet, kBert, kCpuOnly};

using Analysis = Report (*)(const Scope&);

/// One trace, read when a test first needs it.
class Golden : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const char* name : kAll) {
      const std::string path = testing::public_trace(name);
      if (!path.empty()) models_.emplace(name, load_model(path));
    }
  }
  static void TearDownTestSuite() { models_.clear(); }
  void SetUp() override {
    for (const char* name : kAll)
      if (!models_.contains(name)) GTEST_SKIP() << testing::no_public_trace(name);
  }

  static const TraceModel& model(const char* name) { return models_.at(name); }

  static Report report(Analysis analysis, const char* name, const Selection& selection = {}) {
    return analysis(Scope(model(name), selection));
  }

  /// `expected`: one text a trace, in the order of kAll; "-": no data.
  static void expect_row(Analysis analysis, const char* metric,
                         const std::array<const char*, 5>& expected,
                         const Selection& selection = {}) {
    for (std::size_t i = 0; i < 5; ++i) {
      const Report found = report(analysis, kAll[i], selection);
      const Metric* value = found.find(metric);
      EXPECT_EQ(value ? value->value.shown() : "-", expected[i]) << kAll[i] << ' ' << metric;
    }
  }

  /// The values of a metric of all steps.
  static std::vector<std::string> of_steps(const Report& report, std::string_view name) {
    std::vector<std::string> values;
    for (const Metric& metric : report.metrics)
      if (metric.name == name) values.push_back(metric.value.shown());
    return values;
  }

  /// A metric about stream 7.
  static std::string on_stream_7(const Report& report, std::string_view name) {
    for (const Metric& metric : report.metrics)
      if (metric.name == name && metric.stream == 7) return metric.value.shown();
    return "-";
  }

 private:
  static inline std::map<std::string, TraceModel> models_;
};

using Texts = std::vector<std::string>;

TEST_F(Golden, Check_CountsTheRows) {
  expect_row(check, "check.events", {"79711", "68692", "1408", "2551", "30"});
  expect_row(check, "check.api_calls", {"15754", "15329", "361", "132", "0"});
  expect_row(check, "check.cpu_ops", {"33517", "23910", "359", "479", "4"});
  expect_row(check, "check.kernels", {"9329", "4350", "79", "60", "0"});
  expect_row(check, "check.copies", {"338", "1600", "16", "1", "0"});
  expect_row(check, "check.fills", {"466", "145", "3", "0", "0"});
  expect_row(check, "check.memory_events", {"0", "0", "0", "236", "0"});
  expect_row(check, "check.syncs", {"0", "0", "41", "0", "0"});
  expect_row(check, "check.containers", {"18", "0", "0", "0", "0"});
  expect_row(check, "check.zero_length_kernels", {"259", "0", "0", "0", "0"});
  expect_row(check, "check.steps", {"6", "5", "0", "1", "1"});
}

TEST_F(Golden, Check_LinksEveryGpuOp) {
  expect_row(check, "check.linked", {"10133", "6095", "98", "61", "0"});
  expect_row(check, "check.unlinked", {"0", "0", "0", "0", "0"});
  expect_row(check, "check.early", {"0", "0", "0", "0", "0"});
  expect_row(check, "check.started_in_call", {"41", "2", "16", "0", "0"});
}

TEST_F(Golden, Check_NamesTheThreadIdsThatDoNotJoin) {
  EXPECT_EQ(report(check, kFirst6).anomalies, Texts{});
  EXPECT_EQ(report(check, kAlexnet).anomalies, Texts{});
  EXPECT_EQ(report(check, kBert).anomalies, Texts{});
  EXPECT_EQ(report(check, kCpuOnly).anomalies, Texts{});
  const Texts anomalies = report(check, kV100).anomalies;
  ASSERT_EQ(anomalies.size(), 1u);
  EXPECT_TRUE(anomalies[0].starts_with("58 API calls are on threads with negative ids"));
}

TEST_F(Golden, Idle_IsTakenApartByCause) {
  expect_row(idle, "idle.window", {"5243667.000", "480029.179", "12920244.000", "3907.825", "-"});
  expect_row(idle, "idle.busy", {"979604.000", "472454.441", "66141.000", "309.437", "-"});
  expect_row(idle, "idle.host_wait", {"4247021.000", "1732.389", "12853957.000", "3500.098", "-"});
  expect_row(idle, "idle.launch_latency", {"4748.000", "358.126", "61.000", "98.290", "-"});
  expect_row(idle, "idle.kernel_wait", {"12294.000", "5484.223", "85.000", "0.000", "-"});
  expect_row(idle, "idle.dependency", {"0.000", "0.000", "0.000", "0.000", "-"});
  expect_row(idle, "idle.unlinked", {"0.000", "0.000", "0.000", "0.000", "-"});
}

TEST_F(Golden, Idle_ByTheRulesOfHta) {
  Selection selection;
  selection.as_hta = true;
  expect_row(idle, "idle.hta.host_wait",
             {"2682409.000", "1347.125", "12853995.000", "3598.388", "-"}, selection);
  expect_row(idle, "idle.hta.kernel_wait", {"14518.000", "6227.613", "108.000", "0.000", "-"},
             selection);
  expect_row(idle, "idle.hta.other", {"1567136.000", "0.000", "0.000", "0.000", "-"}, selection);
}

TEST_F(Golden, Idle_OfStepsBelongsToWhatTheyLaunched) {
  Selection selection;
  selection.first_step = 101;
  selection.last_step = 104;
  EXPECT_EQ(report(idle, kV100, selection)["idle.total"].value.shown(), "6452.701");
}

TEST_F(Golden, Queue_IsWeightedByTime) {
  Selection selection;
  selection.as_hta = true;
  const std::array<std::array<const char*, 4>, 4> expected = {
      {{kFirst6, "17.0933", "559", "124.3725"},
       {kV100, "873.0511", "1022", "847.0496"},
       {kAlexnet, "0.2397", "18", "3.3462"},
       {kBert, "0.1113", "1", "0.5000"}}};
  for (const auto& [name, mean, max, by_events] : expected) {
    const Report found = report(queue, name, selection);
    EXPECT_EQ(on_stream_7(found, "queue.mean"), mean) << name;
    EXPECT_EQ(on_stream_7(found, "queue.max"), max) << name;
    EXPECT_EQ(on_stream_7(found, "queue.hta.mean_of_events"), by_events) << name;
  }
}

TEST_F(Golden, Queue_LaunchDelaysAndRunAhead) {
  expect_row(queue, "launch_delay.p50", {"2134.000", "77149.589", "35.000", "1.668", "-"});
  expect_row(queue, "launch_delay.p95", {"29335.000", "90324.649", "1461.000", "1.997", "-"});
  expect_row(queue, "launch_delay.max", {"33210.000", "90937.999", "1533.000", "2.128", "-"});
  expect_row(queue, "run_ahead.max", {"32904.000", "90151.294", "1572.000", "41.280", "-"});
}

TEST_F(Golden, Queue_FindsTheDepthOfAFullQueueInTheData) {
  expect_row(queue, "queue.saturation_depth", {"1000", "1020", "1000", "1000", "-"});
  const Saturation saturation = find_saturation(model(kV100), 0, 1000);
  EXPECT_EQ(saturation.median_call_ns, 5'097);
  std::vector<int64_t> shallow, deep;
  int64_t deep_sum = 0;
  for (const LaunchDepth& launch : saturation.launches) {
    if (launch.depth < 900) shallow.push_back(launch.call->time.length());
    if (launch.depth < 1'000) continue;
    deep.push_back(launch.call->time.length());
    deep_sum += deep.back();
  }
  EXPECT_EQ(shallow.size(), 2'157u);
  EXPECT_EQ(quantile(shallow, 50), 4'731);
  EXPECT_EQ(quantile(shallow, 90), 6'346);
  EXPECT_EQ(deep.size(), 3'204u);
  EXPECT_EQ(quantile(deep, 50), 5'905);
  EXPECT_EQ(quantile(deep, 90), 264'352);
  EXPECT_EQ(quantile(deep, 99), 748'227);
  EXPECT_EQ(fmt::format("{:.1f}", static_cast<double>(deep_sum) / 1000), "251454.6");
  Selection selection;
  selection.saturation_depth = 1000;
  EXPECT_EQ(report(queue, kV100, selection)["queue.full_share"].value.shown(), "0.7343");
}

TEST_F(Golden, Overlap_OfAllThreadsWithBlockedTime) {
  Selection selection;
  selection.all_threads = selection.keep_blocked = true;
  expect_row(overlap, "overlap.host_work",
             {"4549966.000", "357871.152", "43353639.000", "2100.782", "3.964"}, selection);
  expect_row(overlap, "overlap.f_gpu", {"0.4784", "0.7446", "0.9581", "0.4635", "-"}, selection);
  expect_row(overlap, "overlap.f_cpu", {"0.1030", "0.9830", "0.0015", "0.0683", "-"}, selection);
}

TEST_F(Golden, Overlap_WithBlockedTimeRemoved) {
  Selection selection;
  selection.saturation_depth = 1000;
  const Report found = report(overlap, kV100, selection);
  EXPECT_EQ(found["overlap.host_work"].value.shown(), "141468.562");
  EXPECT_EQ(found["overlap.f_gpu"].value.shown(), "0.2898");
  EXPECT_EQ(found["overlap.f_cpu"].value.shown(), "0.9678");
}

TEST_F(Golden, Dispatch_BeforeTheFirstLaunch) {
  expect_row(dispatch, "dispatch.pre_launch.p50", {"9.000", "5.762", "27.000", "17.801", "-"});
  expect_row(dispatch, "dispatch.pre_launch.p95",
             {"89.000", "47.044", "825185.000", "33.661", "-"});
  expect_row(dispatch, "dispatch.outside_op", {"102", "0", "0", "0", "-"});
  const std::array<uint64_t, 5> counts = {6'850, 2'900, 53, 60, 0};
  for (std::size_t i = 0; i < counts.size(); ++i)
    EXPECT_EQ(report(dispatch, kAll[i])["dispatch.pre_launch.p50"].n, counts[i]) << kAll[i];
  EXPECT_EQ(report(dispatch, kBert)["dispatch.pre_launch.p50"].reason, "stacks recorded");
}

TEST_F(Golden, Alloc_StallsHostAndGpu) {
  expect_row(alloc, "alloc.calls", {"114", "0", "40", "0", "-"});
  expect_row(alloc, "alloc.stall_cpu", {"721911.000", "0.000", "8514025.000", "0.000", "-"});
  expect_row(alloc, "alloc.stall_gpu", {"710252.000", "0.000", "8483994.000", "0.000", "-"});
  expect_row(alloc, "alloc.device_calls", {"78", "0", "24", "0", "-"});
  expect_row(alloc, "alloc.free_calls", {"34", "0", "15", "0", "-"});
  expect_row(alloc, "alloc.host_calls", {"2", "0", "1", "0", "-"});
  EXPECT_EQ(report(alloc, kFirst6)["alloc.steady_from"].value.shown(), "2");
}

TEST_F(Golden, Alloc_ReadsTheCachingAllocator) {
  const Report found = report(alloc, kBert);
  EXPECT_EQ(found["alloc.hit_rate"].value.shown(), "1.0000");
  EXPECT_EQ(found["alloc.device_allocations"].value.shown(), "109");
  EXPECT_EQ(found["alloc.device_frees"].value.shown(), "109");
  EXPECT_EQ(found["alloc.host_events"].value.shown(), "18");
  EXPECT_EQ(found["alloc.allocated_peak"].value.shown(), "101305344");
  EXPECT_EQ(found["alloc.reserved_peak"].value.shown(), "121634816");
}

TEST_F(Golden, Syncs_OfTheHost) {
  const std::array<std::pair<int64_t, int64_t>, 4> expected = {
      {{369, 424'375'000}, {1, 89'171'621}, {21, 1'497'000}, {3, 19'550}}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    int64_t count = 0, length = 0;
    for (const ApiCall& call : model(kAll[i]).calls)
      if (call.kind == ApiKind::BlockingSync) {
        ++count;
        length += call.time.length();
      }
    EXPECT_EQ(count, expected[i].first) << kAll[i];
    EXPECT_EQ(length, expected[i].second) << kAll[i];
  }
}

TEST_F(Golden, Figure1_HostRunsAheadAboutThreefold) {
  Selection selection;
  selection.saturation_depth = 1000;
  const Report found = queue_ahead(Scope(model(kV100), selection));
  EXPECT_EQ(of_steps(found, "queue_ahead.t_cpu"),
            (Texts{"31779.901", "71092.270", "94789.434", "94697.976", "94820.941"}));
  EXPECT_EQ(of_steps(found, "queue_ahead.t_gpu"),
            (Texts{"94569.795", "94591.138", "94459.362", "94561.467", "94272.679"}));
  EXPECT_EQ(of_steps(found, "queue_ahead.span"),
            (Texts{"97662.895", "95736.026", "95569.787", "95663.323", "95394.012"}));
  EXPECT_EQ(of_steps(found, "queue_ahead.backpressure"),
            (Texts{"0.000", "38383.171", "59837.386", "59341.575", "58795.991"}));
  EXPECT_EQ(of_steps(found, "queue_ahead.raw"),
            (Texts{"2.9758", "1.3305", "0.9965", "0.9986", "0.9942"}));
  EXPECT_EQ(of_steps(found, "queue_ahead.corrected"),
            (Texts{"2.9758", "2.8919", "2.7025", "2.6745", "2.6169"}));
  for (const Metric& metric : found.metrics) EXPECT_EQ(metric.n, 1'219u);
  const Report depth_from_data = queue_ahead(Scope(model(kV100), {}));
  EXPECT_EQ(of_steps(depth_from_data, "queue_ahead.backpressure").back(), "58795.323");
  EXPECT_EQ(of_steps(depth_from_data, "queue_ahead.corrected").back(), "2.6168");
}

TEST_F(Golden, Figure1_OfTheFirstOpsOfTheModel) {
  Selection selection;
  selection.first_step = 101;
  const Scope scope(model(kV100), selection);
  const auto rho = [&](const char* from, int64_t ops) {
    return queue_ahead(scope, {from, ops})["queue_ahead.raw"].value.shown();
  };
  EXPECT_EQ(rho("aten::conv2d", 10), "2.7802");
  EXPECT_EQ(rho("aten::conv2d", 20), "3.0002");
  EXPECT_EQ(rho("aten::conv2d", 50), "3.5542");
  EXPECT_EQ(rho("", 20), "0.0313") << "the step begins with many small ops";
}

TEST_F(Golden, Figure1_OfAHostBoundProgram) {
  const Report found = queue_ahead(Scope(model(kBert), {}));
  EXPECT_EQ(found["queue_ahead.t_gpu"].value.shown(), "309.437");
  EXPECT_EQ(found["queue_ahead.span"].value.shown(), "3907.825");
  // 4003.948 from the first op to the return of the last launch, less the one blocking sync of
  // 7.640 between. (Another of 5.970 is over before the first op begins.)
  EXPECT_EQ(found["queue_ahead.t_cpu"].value.shown(), "3996.308");
}

TEST_F(Golden, Figure2_TakesTheFirstIterationApart) {
  const Report found = report(first_iteration, kFirst6);
  const std::pair<const char*, const char*> contributions[] = {
      {"time", "4489534.000"},
      {"steady_time", "156692.000"},
      {"excess", "4332842.000"},
      {"first_use", "1643085.000"},
      {"initialisation", "1280742.000"},
      {"allocator", "718908.000"},
      {"allocator.free", "658596.000"},
      {"allocator.malloc", "59016.000"},
      {"allocator.host_alloc", "1296.000"},
      {"sync", "423776.000"},
      {"data_loading", "2220.000"},
      {"unexplained", "264111.000"},
  };
  for (const auto& [name, value] : contributions)
    EXPECT_EQ(found[std::string("first_iteration.") + name].value.shown(), value) << name;
  std::map<std::string, Texts> rows;
  for (const auto& row : found.table("excess by cause").rows)
    for (const Value& value : row) rows[row[0].text()].push_back(value.shown());
  EXPECT_EQ(rows["first_use"], (Texts{"first_use", "1643085.000", "0.3792", "1641451.000", "4"}));
  EXPECT_EQ(rows["initialisation"][3], "1278914.000");
  EXPECT_EQ(rows["allocator"], (Texts{"allocator", "718908.000", "0.1659", "709812.000", "102"}));
  EXPECT_EQ(rows["allocator.free"][4], "34");
  EXPECT_EQ(rows["allocator.malloc"][4], "66");
  EXPECT_EQ(rows["allocator.host_alloc"][4], "2");
  EXPECT_EQ(rows["sync"], (Texts{"sync", "423776.000", "0.0978", "60719.000", "359"}));
  EXPECT_EQ(rows["data_loading"][3], "49119.000");
  const std::array<Texts, 6> iterations = {{
      {"4489534.000", "467576.000", "0.1041", "102", "718908.000", "709812.000"},
      {"160536.000", "89032.000", "0.5546", "12", "3003.000", "805.000"},
      {"146095.000", "107938.000", "0.7388", "0", "0.000", "0.000"},
      {"148656.000", "96883.000", "0.6517", "0", "0.000", "0.000"},
      {"193549.000", "103301.000", "0.5337", "0", "0.000", "0.000"},
      {"156692.000", "114874.000", "0.7331", "0", "0.000", "0.000"},
  }};
  const Table& table = found.table("iterations");
  ASSERT_EQ(table.rows.size(), iterations.size());
  for (std::size_t i = 0; i < iterations.size(); ++i)
    for (std::size_t j = 0; j < iterations[i].size(); ++j)
      EXPECT_EQ(table.rows[i][j + 1].shown(), iterations[i][j]) << i << ' ' << j;
}

TEST_F(Golden, Figure2_NamesTheLongestCallsWithoutSteps) {
  const Table table = report(first_iteration, kAlexnet).table("longest API calls");
  const auto row = [&](std::size_t i) {
    Texts texts;
    for (const Value& value : table.rows[i]) texts.push_back(value.shown());
    return texts;
  };
  EXPECT_EQ(row(0), (Texts{"cudaDeviceGetStreamPriorityRange", "494154.000", "29927377.000",
                           "initialisation"}));
  EXPECT_EQ(row(1)[2], "6008692.000");
  EXPECT_EQ(row(2)[2], "3055567.000");
  EXPECT_EQ(row(2)[3], "first_use");
}

TEST_F(Golden, WithoutAGpu_EveryGpuMetricIsNullWithAReason) {
  for (const Analysis analysis : {Analysis(overlap), Analysis(idle), Analysis(queue)})
    for (const Metric& metric : report(analysis, kCpuOnly).metrics) {
      if (metric.name == "overlap.host_work") continue;
      EXPECT_TRUE(metric.value.is_nothing()) << metric.name;
      EXPECT_EQ(metric.n, 0u) << metric.name;
      EXPECT_EQ(metric.reason, "no GPU rows") << metric.name;
    }
  EXPECT_EQ(model(kCpuOnly).steps[0].time.length(), 210'109'162);
  Texts lengths;
  for (const HostOp& op : model(kCpuOnly).ops) {
    lengths.push_back(Value(Nanoseconds{op.time.length()}).shown());
    EXPECT_FALSE(model(kCpuOnly).steps[0].time.contains(op.time.begin));
  }
  EXPECT_EQ(lengths, (Texts{"2.503", "0.473", "0.401", "0.587"}));
}

TEST_F(Golden, TheOrderOfEventsDoesNotMatter) {
  for (const char* name : kAll) {
    TraceReader reader(testing::public_trace(name));
    std::vector<std::string> events;
    while (const RawEvent* event = reader.next()) events.emplace_back(event->text);
    std::shuffle(events.begin(), events.end(), std::mt19937(7));
    std::string text = "{\"traceEvents\":[";
    for (const std::string& event : events) text += (&event == &events[0] ? "" : ",") + event;
    text += "]}";
    const testing::TextFile file(text);
    EXPECT_EQ(testing::all_reports(load_model(file.path())), testing::all_reports(model(name)))
        << name;
  }
}

}  // namespace
}  // namespace notape::trace
