// The figures of a report, for small traces whose numbers are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "trace/report/sections.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MicroTrace;
using ::testing::Not;

using MakeSection = Section (*)(const Facts&);

Section section_of(MakeSection make, const MicroTrace& trace) {
  const TraceModel model = trace.model();
  return make(Facts(model));
}

/// Its findings, then the rows of its tables, as text.
std::vector<std::string> lines(const Section& section) {
  std::vector<std::string> texts;
  for (const Finding& finding : section.findings) texts.push_back(finding.line().plain());
  for (const FigureTable& table : section.tables)
    for (const std::vector<Cell>& row : table.rows) {
      std::string& text = texts.emplace_back(table.id + ":");
      for (const Cell& cell : row) text += " " + cell.text.plain() + ";";
    }
  return texts;
}

std::vector<std::string> lines(MakeSection make, const MicroTrace& trace) {
  return lines(section_of(make, trace));
}

void expect_in(const std::vector<std::string>& texts, const std::vector<std::string>& wanted) {
  for (const std::string& part : wanted) EXPECT_THAT(texts, Contains(HasSubstr(part)));
}

TEST(Findings, AGoodFileIsCalledGood) {
  const Section section = section_of(trust_section, testing::three_steps());
  EXPECT_EQ(section.findings.front().tone, Tone::Good);
  EXPECT_THAT(lines(section), Contains("faults of the file: 0, its events fit each other"));
}

TEST(Findings, FaultsOfTheFileComeFirst) {
  MicroTrace trace = testing::three_steps();
  trace.kernel(500'000, 1'000, 99);  // no launch of this correlation
  const Section section = section_of(trust_section, trace);
  EXPECT_EQ(section.findings.front().tone, Tone::Bad);
  EXPECT_THAT(lines(section), Contains("faults of the file: 1"));
  EXPECT_THAT(lines(section), Contains("Fault: 1 GPU ops have no launch record."));
  // What depends on launches says so.
  EXPECT_THAT(lines(host_ahead_section, trace), Contains(HasSubstr("not reliable: 1 unlinked")));
}

TEST(Findings, OfEachStepTheMainWaitIsNamed) {
  MicroTrace trace;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t start = 100'000 * i;
    trace.step(i, start, 100'000)
        .launch(start, 1'000, 2 * i + 1)
        .kernel(start + 2'000, 8'000, 2 * i + 1);
    if (i == 1) trace.call("cudaFree", start + 11'000, 40'000);
    const int64_t launch = start + (i == 1 ? 60'000 : 9'000);
    trace.launch(launch, 1'000, 2 * i + 2).kernel(launch + 2'000, 8'000, 2 * i + 2);
  }
  EXPECT_THAT(lines(step_time_section, trace),
              Contains(HasSubstr("tab-steps: ProfilerStep#1; 68.0 us; 24 %; 75 %; 78 % in "
                                 "cudaFree;")));
}

TEST(Findings, AHostThatIsAheadHasARatioAboveOne) {
  const Section section = section_of(host_ahead_section, testing::three_steps());
  EXPECT_EQ(section.findings.front().tone, Tone::Good);
  expect_in(lines(section), {"queue-ahead ratio: 3.12, ", "host time: 6.5 us",
                             "device time: 20.2 us", "of which blocked: 0,",
                             "These are figures of ProfilerStep#2, the median of the steps."});
}

TEST(Findings, AFullQueueIsTakenOutOfTheRatio) {
  MicroTrace trace = testing::filling_queue(100, 40);
  trace.op("aten::mul", 0, 5).step(0, 0, 1'000'000);
  expect_in(lines(host_ahead_section, trace),
            {"queue-ahead ratio: 1.08, ", "ratio as measured: 0.068, ",
             "of which blocked: 38.4 us,", "full queue: 60, "});
}

TEST(Findings, DispatchIsByClassAndDoubtedWhereItMustBe) {
  MicroTrace trace;
  trace.op("a", 0, 9'000).launch(2'500, 1'000, 1).kernel(20'000, 100, 1);
  trace.op("b", 10'000, 9'000, R"("Sequence number":0)").launch(14'000, 1'000, 2);
  trace.kernel(30'000, 100, 2);
  expect_in(lines(dispatch_section, trace),
            {"tensor operators: 2.5 us, median time to the first launch",
             "differentiable operators: 4.0 us, median time to the first launch",
             "tab-dispatch: tensor; 1; 2.5 us; 2.5 us; 2.5 us; 2.5 us;"});
  trace.slice("python_function", "f", 0, 90'000);
  EXPECT_THAT(lines(dispatch_section, trace),
              Contains(HasSubstr("(not reliable: stacks recorded)")));
}

TEST(Findings, TheAllocatorsCallsAreCounted) {
  MicroTrace trace = testing::three_steps();
  trace.call("cudaMalloc", 60'000, 5'000);  // the device runs meanwhile, until 79.25
  expect_in(lines(allocator_section, trace),
            {"calls of the driver for memory: 1, that make, free or map some",
             "time in them: 5.0 us, of the host", "device idle meanwhile: 0",
             "tab-allocator: cudaMalloc; 1; 5.0 us; all; 5.0 us; 5.0 us;"});
  EXPECT_THAT(lines(allocator_section, testing::three_steps()),
              ElementsAre("calls of the driver for memory: 0, that make, free or map some"));
}

TEST(Findings, MemoryOfTheCpuIsShownWhereThereIsNoOther) {
  MicroTrace trace;
  trace.op("add", 0, 100).memory(10, 2'048, 2'048, 0, 0).memory(90, -2'048, 0, 0, 0);
  EXPECT_THAT(
      lines(allocator_section, trace),
      ElementsAre("taken by tensors on the CPU: 2.0 KiB, in all", "most in use: 2.0 KiB, at once"));
  EXPECT_EQ(section_of(allocator_section, trace).figures.at(0).id, "fig-host-memory");
  trace.memory(50, 512, 512, 4'096);
  EXPECT_EQ(section_of(allocator_section, trace).figures.at(0).id, "fig-memory");
}

TEST(Findings, TheFirstStepIsComparedOnlyWhereThereAreOthers) {
  MicroTrace trace;
  trace.step(0, 0, 900'000).call("cudaMalloc", 10'000, 600'000);
  for (int64_t i = 1; i < 4; ++i) trace.step(i, 800'000 + 100'000 * i, 100'000);
  expect_in(lines(first_step_section, trace),
            {"first step: 900 us", "others: 100 us", "excess: 800 us",
             "tab-causes: allocator; 600 us; 75 %;", "tab-causes: unexplained; 200 us; 25 %;"});
  EXPECT_THAT(lines(first_step_section, MicroTrace().step(0, 0, 9).call("cudaFree", 1, 2)),
              ElementsAre("The file has one step, and none to compare it with."));
}

TEST(Findings, TheSlowestStepIsNamedWithItsReasons) {
  MicroTrace trace;
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t start = 10'000 * i, more = i == 5 ? 2'000 : 0;
    trace.step(i, start, 1'000 + more).annotation("forward", start, 600 + more);
    trace.op("aten::mm", start, 500 + more);
  }
  expect_in(lines(slow_steps_section, trace),
            {"slowest step: ProfilerStep#5, 3.0 us, 3.00 times the median", "outliers: 1,",
             "tab-slowest: ProfilerStep#5; 50.0 us; 3.0 us; 3.00; aten::mm itself "
             "2.0 us;",
             "tab-ranges: forward; 8; 6.8 us; 600 ns; 2.6 us; ProfilerStep#5;"});
}

TEST(Findings, AChangeOfLevelComesFirst) {
  MicroTrace trace;
  int64_t at = 0;
  for (int64_t i = 0; i < 400; ++i) {
    const int64_t length = i < 150 ? 160'000 : 1'600'000;
    trace.step(i, at, length).op("aten::mm", at, length - 10'000);
    at += length;
  }
  const std::vector<std::string> texts = lines(slow_steps_section, trace);
  EXPECT_EQ(texts[0], "slower to stay from step: 150, found by the ranks of the times");
  EXPECT_EQ(texts[1], "median before it: 160 us");
  EXPECT_EQ(texts[2], "median from it on: 1.6 ms");
  EXPECT_THAT(texts, Contains("tab-level: op self; aten::mm; 150 us; 1.6 ms; 1.4 ms;"));
  expect_in(lines(first_step_section, trace),
            {"others: 160 us",
             "The others are those before ProfilerStep#150, where the steps "
             "change their level."});
}

TEST(Findings, FirstUseIsNotTakenForLaunching) {
  MicroTrace trace;
  for (int64_t i = 0; i < 10; ++i) trace.launch(100 * i, 10, i + 1).kernel(100 * i + 20, 50, i + 1);
  trace.launch(2'000, 50'000, 50).kernel(52'010, 50, 50);
  EXPECT_THAT(lines(step_time_section, trace),
              Contains(HasSubstr("in cudaLaunchKernel, 99.8 % of it first use (module loading, "
                                 "inferred);")));
  EXPECT_THAT(lines(top_section, trace),
              Contains(HasSubstr("of the time: first use (module loading, inferred)")));
}

TEST(Findings, NothingIsSaidAboutWhatTheFileHasNot) {
  const std::pair<MakeSection, const char*> kAbsent[] = {
      {trust_section, "The file has no events."},
      {step_time_section, "The file has neither operators nor device rows."},
      {slow_steps_section, "The file marks no steps."},
      {host_ahead_section, "The file has no device rows."},
      {dispatch_section, "The file has no operators."},
      {allocator_section, "The file has neither API calls nor events of the allocator."},
      {first_step_section, "The file marks no steps."},
      {top_section, "The file has no operators, no device operations, and no API calls."}};
  for (const auto& [make, remark] : kAbsent) {
    const Section section = section_of(make, MicroTrace());
    EXPECT_EQ(section.findings.front().line().plain(), remark);
    EXPECT_THAT(section.figures, IsEmpty()) << remark;
  }
}

TEST(Findings, AFileWithoutDeviceRowsIsAboutTheHost) {
  const MicroTrace trace = MicroTrace().op("aten::mul", 0, 600).op("aten::add", 900, 100);
  const std::vector<std::string> texts = lines(step_time_section, trace);
  EXPECT_THAT(texts, Each(Not(HasSubstr("busy"))));
  EXPECT_THAT(texts, Contains("The file has no device rows."));
  EXPECT_THAT(texts, Contains("tab-host: operator itself; 700 ns; 70 %;"));
  EXPECT_THAT(lines(dispatch_section, trace),
              ElementsAre("No operator of the file launches a kernel."));
  EXPECT_THAT(lines(top_section, trace),
              Contains("operator: aten::mul, 86 % of the operators' own time on the host, 600 ns"));
}

TEST(Findings, ThePageIsAboutTheDeviceWithMostOperations) {
  MicroTrace trace = MicroTrace().launch(0, 10, 1).launch(20, 10, 2).launch(40, 10, 3);
  trace.kernel(100, 10, 1).on_stream(7, 1).kernel(200, 10, 2).kernel(300, 10, 3);
  EXPECT_THAT(lines(trust_section, trace),
              Contains("The file has 2 devices; this page is about device 1, which has most "
                       "operations."));
}

void expect_lines(const std::string& name, const std::vector<std::string>& wanted) {
  const std::string path = testing::public_trace(name);
  if (path.empty()) GTEST_SKIP() << testing::no_public_trace(name);
  const TraceModel model = load_model(path);
  std::vector<std::string> texts;
  for (const Section& section : report_sections(Facts(model)))
    for (const std::string& line : lines(section)) texts.push_back(line);
  expect_in(texts, wanted);
}

TEST(GoldenFindings, SixIterationsFromTheFirstOn) {
  expect_lines(
      "kineto_resnet50_first6_w0",
      {"device busy: 19 %", "device time: 5.2 s",
       "tab-steps: step 0; 4.4 s; 11 %; 89 %; 42 % in cudaLaunchKernel, 99.2 % of it first "
       "use (module loading, inferred);",
       "calls of the driver for memory: 114", "time in them: 722 ms",
       "device idle meanwhile: 710 ms", "first step without them: 2", "first step: 4.5 s",
       "median of the others: 157 ms", "excess: 4.3 s", "tab-causes: first_use; 1.6 s; 38 %;",
       "tab-causes: initialisation; 1.3 s; 30 %;", "tab-causes: allocator; 719 ms; 17 %;",
       "tab-causes: sync; 424 ms; 9.8 %;", "tab-causes: unexplained; 264 ms; 6.1 %;"});
}

TEST(GoldenFindings, ASaturatedQueue) {
  expect_lines("hta_resnet_ns_v100",
               {"device busy: 98.4 %", "device time: 480 ms", "queue-ahead ratio: 2.70",
                "ratio as measured: 0.997", "of which blocked: 59.8 ms",
                "These are figures of ProfilerStep#103, the median of the steps.",
                "launched and not done, on average: 68.0 ms",
                "launched and not done, at most: 90.2 ms", "calls of the driver for memory: 0"});
}

TEST(GoldenFindings, AStartBoundByTheAllocator) {
  expect_lines(
      "hta_alexnet_malloc_a100",
      {"tab-steps: all; 12.9 s; 0.5 %; 99.5 %; 51 % in cudaFree;",
       "calls of the driver for memory: 40", "time in them: 8.5 s", "device idle meanwhile: 8.5 s",
       "longest call: cudaDeviceGetStreamPriorityRange, 29.9 s, 69 % of the time",
       "The file marks no steps."});
}

TEST(GoldenFindings, InferenceBoundByTheHost) {
  expect_lines("tracelens_h100_bert_small",
               {"device busy: 7.9 %", "device time: 3.9 ms",
                "tensor operators: 17.8 us, median time to the first launch (not reliable: stacks "
                "recorded)",
                "requests to the caching allocator: 109", "answered without the driver: all",
                "most in use: 96.6 MiB", "most reserved: 116 MiB",
                "The file has one step, and none to compare it with."});
}

TEST(GoldenFindings, AFileOfTheHostAlone) {
  expect_lines("hta_cpu_only",
               {"The file has no device rows.", "No operator of the file launches a kernel.",
                "The file has neither API calls nor events of the allocator."});
}

}  // namespace
}  // namespace notape::trace
