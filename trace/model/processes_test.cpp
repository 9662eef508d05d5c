// Several processes in one file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/error.h"
#include "trace/analysis/analyses.h"
#include "trace/analysis/by_process.h"
#include "trace/analysis/diff.h"
#include "trace/model/trace_model.h"
#include "trace/report/report_page.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MicroTrace;

constexpr int64_t kDay = int64_t{24} * 3600 * 1'000'000'000;

/// What one rank writes: three steps, of each an op with a launch and a kernel, and a second
/// kernel whose launch is outside of it; an allocation. `pid`, `gpu_pid`: as JSON.
struct Rank {
  std::string pid, gpu_pid;
  int64_t device = 0, shift = 0, first_correlation = 1, kernel_ns = 20'250, delay = 2'500;
  const char* label = "";
  int64_t later = 0;  ///< so much more the GPU is behind in each step

  MicroTrace trace() const {
    MicroTrace trace;
    trace.in_process(pid, gpu_pid).on_stream(7, device);
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t at = i * 90'000, correlation = first_correlation + 10 * i;
      const int64_t start = at + 16'500 + delay + i * later;
      trace.step(i + 1, at + 9'000, 70'500)
          .op("aten::mul", at + 10'000, 8'000, R"("Sequence number":0)")
          .launch(at + 12'000, 4'500, correlation)
          .kernel(start, kernel_ns, correlation)
          .call("cudaMemsetAsync", at + 20'000, 1'000, correlation + 1)
          .gpu_op("gpu_memset", start + kernel_ns + 3'000, 1'000, correlation + 1)
          .call("cudaMalloc", at + 22'000, 2'000 + shift % 1'000, correlation + 2)
          .memory(at + 23'000, 512, 512 * (i + 1), 4'096);
    }
    trace.transformed(1, shift);
    if (*label)
      for (const std::string& one : {pid, gpu_pid})
        trace.raw(R"({"ph":"M","name":"process_name","tid":0,"pid":)" + one +
                  R"(,"args":{"name":")" + label + "\"}}");
    return trace;
  }
};

std::string figures_of(const TraceModel& model) {
  std::string kept, text = testing::all_reports(model);
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (!line.starts_with("check.")) kept += line + '\n';  // counts events of the whole file
  }
  return kept;
}

MicroTrace merged(const std::vector<Rank>& ranks) {
  MicroTrace all;
  for (const Rank& rank : ranks) all.with(rank.trace());
  return all;
}

TEST(Processes, EachIsAnsweredAsIfItHadAFileOfItsOwn) {
  const std::pair<const char*, std::vector<Rank>> cases[] = {
      {"correlations from 1 in both, a device each", {{"10", "0"}, {"20", "1", 1, 37'000}}},
      {"the same device and stream", {{"10", "0"}, {"20", "0", 0, 47'000}}},
      {"one much later", {{"10", "0"}, {"20", "0", 0, 10'000'000'000}}},
      {"the later one has the smaller id", {{"20", "0"}, {"10", "1", 1, 37'000}}},
      {"three ranks", {{"10", "0"}, {"20", "1", 1, 25'000}, {"30", "2", 2, 51'000}}},
      {"other correlations", {{"10", "0"}, {"20", "0", 0, 100, 1'000}}},
      {"text ids, on the same devices",
       {{"\"[TP00] 851\"", "\"[TP00] 0\""}, {"\"[TP01] 851\"", "\"[TP01] 0\"", 0, 37'000}}},
      {"ranks that the file names, at the same time",
       {{"10", "100000", 0, 0, 1, 20'250, 2'500, "RANK 0"},
        {"20", "200000", 1, 0, 1, 9'000, 5'500, "RANK 1"}}},
      {"queues that outlast the start of the other, but for the first ops",
       {{"10", "0", 0, 0, 1, 20'250, 2'500, "", 40'000},
        {"20", "1", 1, 37'000, 1, 20'250, 2'500, "", 40'000}}},
  };
  for (const auto& [what, ranks] : cases) {
    SCOPED_TRACE(what);
    MicroTrace together = merged(ranks);
    const TraceModel whole = together.shuffled(3).model();
    ASSERT_EQ(whole.processes.size(), ranks.size());
    EXPECT_TRUE(whole.is_of_several());
    EXPECT_THAT(check(Scope(whole, {})).anomalies, ElementsAre());
    for (const Rank& rank : ranks) {
      std::string name = rank.pid;
      std::erase(name, '"');
      const TraceModel part = of_process(whole, find_process(whole, name));
      // Times count from the first event of the file, whosever it is.
      MicroTrace alone = rank.trace();
      alone.raw(R"({"ph":"i","cat":"mark","name":"m","pid":1,"tid":1,"ts":)" +
                std::to_string(whole.origin / 1000) + "}");
      const TraceModel own = alone.model();
      ASSERT_EQ(own.origin, whole.origin);
      EXPECT_EQ(own.launched.size(), 6u);
      EXPECT_EQ(part.launched.size(), own.launched.size()) << name;
      EXPECT_EQ(figures_of(part), figures_of(own)) << name;
    }
  }
}

TEST(Processes, AMachineWhoseClockIsDaysAwayIsNotLeftOut) {
  const TraceModel whole = merged({{"10", "0"}, {"20", "1", 1, 10 * kDay}}).model();
  EXPECT_EQ(whole.counts.bad_time, 0u);
  for (const TraceModel& part : of_processes(whole)) {
    EXPECT_EQ(part.launched.size(), 6u);
    EXPECT_EQ(testing::shown(idle(Scope(part, {})), "idle.window"), "204.250");
  }
}

TEST(Processes, WhereAllFitsBothNothingOfTheGpuIsReliable) {
  const TraceModel whole = merged({{"10", "0"}, {"20", "0", 0, 100}}).model();
  EXPECT_GT(whole.counts.ambiguous_owners, 0u);
  EXPECT_THAT(check(Scope(whole, {})).anomalies,
              ::testing::Contains(HasSubstr("fit API calls of several processes")));
  const TraceModel part = of_process(whole, 0);
  EXPECT_FALSE(idle(Scope(part, {}))["idle.busy"].is_reliable());
  EXPECT_TRUE(alloc(Scope(part, {}))["alloc.calls"].is_reliable()) << "the host's rows are its own";
}

TEST(Processes, KernelsOfNoneAreCounted) {
  MicroTrace trace = merged({{"10", "0"}, {"20", "1", 1, 37'000}});
  trace.in_process("10", "5").on_stream(7, 5).kernel(400'000, 5'000, 77);
  const TraceModel whole = trace.model();
  EXPECT_EQ(whole.counts.without_owner, 1u);
  EXPECT_FALSE(idle(Scope(of_process(whole, 0), {}))["idle.busy"].is_reliable());
  trace.in_process("10", "20").on_stream(7, 5).kernel(410'000, 5'000, 78);
  const TraceModel other = trace.model();
  EXPECT_EQ(other.counts.without_owner, 1u) << "the other is under the process's own id";
  EXPECT_EQ(of_process(other, find_process(other, "20")).gpu_ops.size(), 7u);
}

TEST(Processes, WaitsBelongToTheOneThatHasTheirCorrelation) {
  MicroTrace trace = merged({{"10", "0"}, {"20", "0", 0, 37'000, 1'000}});
  for (const char* at : {"3", "1002"})
    trace.raw(R"({"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":90,"dur":2,)"
              R"("args":{"device":0,"stream":7,"correlation":)" +
              std::string(at) + "}}");
  const TraceModel whole = trace.model();
  EXPECT_EQ(whole.counts.without_owner, 0u);
  for (const TraceModel& part : of_processes(whole)) EXPECT_EQ(part.syncs.size(), 1u);
}

TEST(Processes, OfSeveralTogetherNoFigureIsReliable) {
  const TraceModel whole = merged({{"10", "0"}, {"20", "1", 1, 37'000}}).model();
  for (const Report& report : {idle(Scope(whole, {})), alloc(Scope(whole, {}))})
    for (const Metric& metric : report.metrics) {
      EXPECT_FALSE(metric.is_reliable()) << metric.name;
      EXPECT_THAT(metric.reason, HasSubstr("rows of 2 processes together"));
    }
  EXPECT_TRUE(check(Scope(whole, {}))["check.linked"].is_reliable());
}

TEST(Processes, AnswersStandBesideEachOther) {
  const TraceModel whole = merged({{"10", "0"}, {"20", "1", 1, 37'000, 1, 9'000}}).model();
  const auto ask = [&](const Selection& selection) {
    return by_process(whole,
                      [=](const TraceModel& model) { return idle(Scope(model, selection)); });
  };
  const Report report = ask({});
  std::vector<std::string> busy;
  for (const Metric& metric : report.metrics)
    if (metric.name == "idle.busy") busy.push_back(metric.process + ": " + metric.value.shown());
  EXPECT_THAT(busy, ElementsAre("10: 63.750", "20: 30.000"));
  for (const std::vector<Value>& row : report.table("across processes").rows)
    if (row[0] == Value("idle.busy")) {
      EXPECT_EQ(row,
                (std::vector<Value>{"idle.busy", "", "us", 2, Nanoseconds{30'000}, "20, device 1",
                                    Nanoseconds{63'750}, Nanoseconds{63'750}, "10, device 0"}));
    }
  EXPECT_EQ(report.table("largest gaps, process 20").rows.size(), 5u);
  Selection device;
  device.device = 1;
  EXPECT_THAT(ask(device).notes,
              ::testing::Contains(HasSubstr("(process 10) has no ops of device 1")));
  device.device = 2;
  EXPECT_THROW(ask(device), ValueError);
}

TEST(Processes, AreFoundByIdAndByTheRankThatTheFileGives) {
  const TraceModel whole = merged({{"10", "100000", 0, 0, 1, 20'250, 2'500, "RANK 5 - CPU"},
                                   {"20", "200000", 1, 0, 1, 9'000, 5'500, "rank_3"}})
                               .model();
  EXPECT_EQ(whole.process_name(find_rank(whole, 3)), "20");
  EXPECT_EQ(whole.process_name(find_rank(whole, 5)), "10");
  EXPECT_THROW(find_rank(whole, 4), ValueError);
  EXPECT_THROW(find_process(whole, "30"), ValueError);
  const TraceModel one = testing::three_steps().header(R"("distributedInfo":{"rank":7},)").model();
  EXPECT_EQ(find_rank(one, 7), 0u);
  EXPECT_THROW(find_rank(one, 0), ValueError);
}

TEST(Processes, ThereIsOneWhereRowsLackIdsOrOpsAndCallsHaveDifferentOnes) {
  const MicroTrace cases[] = {
      testing::three_steps(),
      testing::three_steps().raw(
          R"({"ph":"X","cat":"cpu_op","name":"a","tid":1,"ts":50,"dur":2,"args":{}})"),
      MicroTrace().op("a", 0, 50'000).in_process("9").launch(5'000, 5, 1).kernel(9'000, 5, 1),
      MicroTrace().op("a", 0, 50'000).in_process("9").annotation("r", 5'000, 5),
  };
  for (const MicroTrace& trace : cases) {
    const TraceModel model = trace.model();
    EXPECT_EQ(model.processes.size(), 1u);
    EXPECT_FALSE(model.is_of_several());
    EXPECT_EQ(model.counts.without_owner, 0u);
  }
}

TEST(Processes, StepsBelongToTheirOwn) {
  const TraceModel whole = MicroTrace()
                               .op("a", 0, 10'000)
                               .step(1, 0, 50'000)
                               .step(2, 50'000, 50'000)
                               .in_process("20")
                               .op("a", 0, 10'000)
                               .step(1, 20'000, 50'000)
                               .step(2, 70'000, 90'000)
                               .model();
  ASSERT_EQ(whole.steps.size(), 4u);
  const TraceModel first = of_process(whole, 1), second = of_process(whole, 0);
  ASSERT_EQ(first.steps.size(), 2u);
  EXPECT_EQ(first.steps[0].mark_end, 50'000) << "not where a step of another begins";
  EXPECT_EQ(first.steps[1].mark_end, 100'000) << "the end of its own rows";
  EXPECT_EQ(second.steps[0].mark_end, 70'000);
  EXPECT_EQ(second.steps[1].mark_end, 160'000);
}

TEST(Processes, ADiffHasTheStepsOfAll) {
  const TraceModel one = testing::three_steps().model();
  const TraceModel two = merged({{"10", "0"}, {"20", "1", 1, 37'000}}).model();
  const Report report = diff(one, two, {}, {}).report;
  const std::vector<Value>& row = report.tables[0].rows.back();
  EXPECT_EQ(row[0], Value("step.time"));
  EXPECT_EQ(row[2], Value(3));
  EXPECT_EQ(row[6], Value(6));
}

TEST(Processes, APageIsAboutTheBusiestAndSaysSo) {
  MicroTrace trace = merged({{"10", "0"}, {"20", "1", 1, 37'000}});
  trace.in_process("20", "1").on_stream(8, 1).launch(500'000, 10, 900).kernel(501'000, 10, 900);
  EXPECT_THAT(report_page(trace.model()).markdown,
              HasSubstr("The file has 2 processes; this page is about process 20"));
}

}  // namespace
}  // namespace notape::trace
