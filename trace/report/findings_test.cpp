// The sentences of a report, for small traces whose numbers are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "trace/report/sections.h"
#include "trace/testing/micro_trace.h"

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

std::vector<std::string> sentences(const Section& section) {
  std::vector<std::string> texts;
  for (const Finding& finding : section.findings) texts.push_back(finding.text.plain());
  return texts;
}

std::vector<std::string> sentences(MakeSection make, const MicroTrace& trace) {
  return sentences(section_of(make, trace));
}

TEST(Findings, AGoodFileIsSaidToBeGood) {
  const Section section = section_of(trust_section, testing::three_steps());
  EXPECT_EQ(section.findings.front().tone, Tone::Good);
  EXPECT_THAT(sentences(section), Contains("Nothing is wrong with the file: its 12 events fit each "
                                           "other."));
}

TEST(Findings, FaultsOfTheFileComeFirst) {
  MicroTrace trace = testing::three_steps();
  trace.kernel(500'000, 1'000, 99);  // no launch of this correlation
  const Section section = section_of(trust_section, trace);
  EXPECT_EQ(section.findings.front().tone, Tone::Bad);
  EXPECT_THAT(sentences(section), Contains("The file has 1 fault."));
  EXPECT_THAT(sentences(section), Contains("Fault: 1 GPU ops have no launch record."));
  // What depends on launches says so.
  EXPECT_THAT(sentences(host_ahead_section, trace),
              Contains(HasSubstr("not reliable: 1 unlinked")));
}

TEST(Findings, TheWorstStepIsNamedWithWhatTheHostDid) {
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
  const std::vector<std::string> texts = sentences(step_time_section, trace);
  EXPECT_THAT(texts, Contains("The device waited 75 % of ProfilerStep#1 for the host: 78 % of that "
                              "in cudaFree."));
}

TEST(Findings, AHostThatIsAheadIsSaidToBe) {
  const std::vector<std::string> texts = sentences(host_ahead_section, testing::three_steps());
  EXPECT_THAT(texts, Contains("In ProfilerStep#2, the median of the steps, the host is ahead: the "
                              "device takes 3.12 times as long for the work as the host takes to "
                              "queue it."));
  EXPECT_THAT(texts, Each(Not(HasSubstr("Uncorrected"))));
}

TEST(Findings, AFullQueueIsTakenOutOfTheRatio) {
  MicroTrace trace = testing::filling_queue(100, 40);
  trace.op("aten::mul", 0, 5).step(0, 0, 1'000'000);
  const std::vector<std::string> texts = sentences(host_ahead_section, trace);
  EXPECT_THAT(texts, Contains(HasSubstr("the device takes 1.08 times as long")));
  EXPECT_THAT(texts,
              Contains("Uncorrected that ratio is 0.068, which says the opposite: for 38.4 us "
                       "launch calls only waited for a place in the full queue, which makes "
                       "the host look as slow as the device."));
}

TEST(Findings, DispatchIsByClassAndDoubtedWhereItMustBe) {
  MicroTrace trace;
  trace.op("a", 0, 9'000).launch(2'500, 1'000, 1).kernel(20'000, 100, 1);
  trace.op("b", 10'000, 9'000, R"("Sequence number":0)").launch(14'000, 1'000, 2);
  trace.kernel(30'000, 100, 2);
  EXPECT_THAT(sentences(dispatch_section, trace),
              ElementsAre("Median time from an operator's start to its first launch: tensor "
                          "operators 2.5 us, differentiable operators 4.0 us."));
  trace.slice("python_function", "f", 0, 90'000);
  EXPECT_THAT(sentences(dispatch_section, trace),
              ElementsAre(HasSubstr("(not reliable: stacks recorded).")));
}

TEST(Findings, TheAllocatorsCallsAreCounted) {
  MicroTrace trace = testing::three_steps();
  trace.call("cudaMalloc", 60'000, 5'000);  // the device runs meanwhile, until 79.25
  const Section section = section_of(allocator_section, trace);
  EXPECT_THAT(sentences(section),
              Contains(HasSubstr("1 call of the driver's memory management took "
                                 "5.0 us of the host's time")));
  EXPECT_THAT(sentences(allocator_section, testing::three_steps()),
              ElementsAre("The program never asked the driver for memory while it was recorded."));
}

TEST(Findings, MemoryOfTheCpuIsShownWhereThereIsNoOther) {
  MicroTrace trace;
  trace.op("add", 0, 100).memory(10, 2'048, 2'048, 0, 0).memory(90, -2'048, 0, 0, 0);
  EXPECT_THAT(sentences(allocator_section, trace),
              ElementsAre("Tensors on the CPU took 2.0 KiB in all; at most 2.0 KiB were in use at "
                          "once."));
  EXPECT_EQ(section_of(allocator_section, trace).figures.at(0).id, "fig-host-memory");
  trace.memory(50, 512, 512, 4'096);
  EXPECT_EQ(section_of(allocator_section, trace).figures.at(0).id, "fig-memory");
}

TEST(Findings, TheFirstStepIsComparedOnlyWhereThereAreOthers) {
  MicroTrace trace;
  trace.step(0, 0, 900'000).call("cudaMalloc", 10'000, 600'000);
  for (int64_t i = 1; i < 4; ++i) trace.step(i, 800'000 + 100'000 * i, 100'000);
  EXPECT_THAT(
      sentences(first_step_section, trace),
      ElementsAre("ProfilerStep#0, the first of the file, took 900 us: 9.00 times the median "
                  "of the others (100 us).",
                  "Of the 800 us that it took longer: memory management 75 %, unexplained "
                  "25 %."));
  EXPECT_THAT(sentences(first_step_section, MicroTrace().step(0, 0, 9).call("cudaFree", 1, 2)),
              ElementsAre("The file has one step, so there is none to compare it with."));
}

TEST(Findings, TheSlowestStepIsNamedWithItsReasons) {
  MicroTrace trace;
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t start = 10'000 * i, more = i == 5 ? 2'000 : 0;
    trace.step(i, start, 1'000 + more).annotation("forward", start, 600 + more);
    trace.op("aten::mm", start, 500 + more);
  }
  EXPECT_THAT(
      sentences(slow_steps_section, trace),
      ElementsAre("ProfilerStep#5 is the slowest of 8 steps: 3.0 us, 3.00 times the median "
                  "(1.0 us). It took longer for: aten::mm itself 2.0 us.",
                  "Of the program's own ranges forward takes most: 6.8 us in 8 runs, median "
                  "600 ns, longest 2.6 us in ProfilerStep#5."));
}

TEST(Findings, AChangeOfLevelIsCalledOne) {
  MicroTrace trace;
  int64_t at = 0;
  for (int64_t i = 0; i < 400; ++i) {
    const int64_t length = i < 150 ? 160'000 : 1'600'000;
    trace.step(i, at, length).op("aten::mm", at, length - 10'000);
    at += length;
  }
  const std::vector<std::string> texts = sentences(slow_steps_section, trace);
  EXPECT_EQ(texts[0],
            "From ProfilerStep#150 on the steps are slower to stay: 1.6 ms at the median, before "
            "that 160 us (10.0 times as long).");
  EXPECT_EQ(texts[1], "Since then a step takes longer for: aten::mm itself 1.4 ms.");
  EXPECT_THAT(sentences(first_step_section, trace),
              ElementsAre("ProfilerStep#0, the first of the file, took 160 us, no longer than the "
                          "others before ProfilerStep#150 (160 us)."));
}

TEST(Findings, FirstUseIsNotTakenForLaunching) {
  MicroTrace trace;
  for (int64_t i = 0; i < 10; ++i) trace.launch(100 * i, 10, i + 1).kernel(100 * i + 20, 50, i + 1);
  trace.launch(2'000, 50'000, 50).kernel(52'010, 50, 50);
  EXPECT_THAT(sentences(step_time_section, trace), Contains(HasSubstr("in cudaLaunchKernel, 99.")));
  EXPECT_THAT(sentences(step_time_section, trace),
              Contains(HasSubstr("of which is first use (module loading, inferred).")));
  EXPECT_THAT(sentences(top_section, trace),
              Contains(HasSubstr("of the file: first use (module loading, inferred).")));
}

TEST(Findings, NothingIsSaidAboutWhatTheFileHasNot) {
  const std::pair<MakeSection, const char*> kAbsent[] = {
      {trust_section, "The file has no events: there is nothing to report about."},
      {step_time_section, "The file has neither operators nor device rows."},
      {slow_steps_section, "The file marks no steps."},
      {host_ahead_section, "The file has no device rows, so there is nothing to be ahead of."},
      {dispatch_section, "The file has no operators."},
      {allocator_section, "The file has neither API calls nor events of the allocator."},
      {first_step_section, "The file marks no steps, so there is no first one to compare."},
      {top_section, "The file has no operators, no device operations, and no API calls."}};
  for (const auto& [make, sentence] : kAbsent) {
    const Section section = section_of(make, MicroTrace());
    EXPECT_EQ(section.findings.front().text.plain(), sentence);
    EXPECT_THAT(section.figures, IsEmpty()) << sentence;
  }
}

TEST(Findings, AFileWithoutDeviceRowsIsAboutTheHost) {
  const MicroTrace trace = MicroTrace().op("aten::mul", 0, 600).op("aten::add", 900, 100);
  const std::vector<std::string> texts = sentences(step_time_section, trace);
  EXPECT_THAT(texts, Each(Not(HasSubstr("busy"))));
  EXPECT_THAT(texts, Contains("The file has no device rows, so this is about the host alone."));
  EXPECT_THAT(sentences(dispatch_section, trace),
              ElementsAre("No operator of the file launches a kernel."));
  EXPECT_THAT(sentences(top_section, trace),
              ElementsAre("aten::mul takes most of the operators' own time on the host: 86 %, 600 "
                          "ns, in 1 run."));
}

TEST(Findings, ThePageIsAboutTheDeviceWithMostOperations) {
  MicroTrace trace = MicroTrace().launch(0, 10, 1).launch(20, 10, 2).launch(40, 10, 3);
  trace.kernel(100, 10, 1).on_stream(7, 1).kernel(200, 10, 2).kernel(300, 10, 3);
  EXPECT_THAT(sentences(trust_section, trace),
              Contains("The file has 2 devices; this page is about device 1, which has most "
                       "operations."));
}

}  // namespace
}  // namespace notape::trace
