// What the report says of real files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/report/sections.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

using ::testing::IsSupersetOf;

void expect_sentences(const std::string& name, const std::vector<std::string>& wanted) {
  const std::string path = testing::public_trace(name);
  if (path.empty()) GTEST_SKIP() << testing::no_public_trace(name);
  const TraceModel model = load_model(path);
  std::vector<std::string> texts;
  for (const Section& section : report_sections(Facts(model)))
    for (const Finding& finding : section.findings) texts.push_back(finding.text.plain());
  EXPECT_THAT(texts, IsSupersetOf(wanted));
}

TEST(GoldenSentences, SixIterationsFromTheFirstOn) {
  expect_sentences(
      "kineto_resnet50_first6_w0",
      {"The device was busy 19 % of the 5.2 s between its first and its last operation.",
       "The device waited 89 % of step 0 for the host: 42 % of that in cudaLaunchKernel, 99.2 % of "
       "which is first use (module loading, inferred).",
       "114 calls of the driver's memory management took 722 ms of the host's time; during 710 ms "
       "of that the device did nothing.",
       "From step 2 on no step asks the driver for memory any more.",
       "step 0, the first of the file, took 4.5 s: 28.7 times the median of the others (157 ms).",
       "Of the 4.3 s that it took longer: first use (inferred) 38 %, initialisation 30 %, memory "
       "management 17 %, waits for the device 9.8 %, unexplained 6.1 %."});
}

TEST(GoldenSentences, ASaturatedQueue) {
  expect_sentences(
      "hta_resnet_ns_v100",
      {"The device was busy 98.4 % of the 480 ms between its first and its last operation.",
       "In ProfilerStep#103, the median of the steps, the host is ahead: the device takes 2.70 "
       "times as long for the work as the host takes to queue it.",
       "Uncorrected that ratio is 0.997, which says the opposite: for 59.8 ms launch calls only "
       "waited for a place in the full queue, which makes the host look as slow as the device.",
       "Launched work that the device had not done yet: 68.0 ms on average at a launch, at most "
       "90.2 ms.",
       "The program never asked the driver for memory while it was recorded."});
}

TEST(GoldenSentences, AStartBoundByTheAllocator) {
  expect_sentences(
      "hta_alexnet_malloc_a100",
      {"The device waited 99.5 % of the time between its first and its last operation for the "
       "host: "
       "51 % of that in cudaFree.",
       "40 calls of the driver's memory management took 8.5 s of the host's time; during 8.5 s of "
       "that the device did nothing.",
       "One call of cudaDeviceGetStreamPriorityRange alone took 29.9 s, 69 % of the file.",
       "The file marks no steps, so there is no first one to compare."});
}

TEST(GoldenSentences, InferenceBoundByTheHost) {
  expect_sentences(
      "tracelens_h100_bert_small",
      {"The device was busy 7.9 % of the 3.9 ms between its first and its last operation.",
       "Median time from an operator's start to its first launch: tensor operators 17.8 us (not "
       "reliable: stacks recorded).",
       "The caching allocator answered all 109 requests without the driver; at most 96.6 MiB were "
       "in use and 116 MiB reserved.",
       "The file has one step, so there is none to compare it with."});
}

TEST(GoldenSentences, AFileOfTheHostAlone) {
  expect_sentences("hta_cpu_only",
                   {"The file has no device rows, so this is about the host alone.",
                    "The file has no device rows, so there is nothing to be ahead of.",
                    "No operator of the file launches a kernel.",
                    "The file has neither API calls nor events of the allocator."});
}

}  // namespace
}  // namespace notape::trace
