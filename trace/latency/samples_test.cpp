#include "trace/latency/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "trace/latency/instruction_counter.h"
#include "trace/latency/recorded_times.h"
#include "trace/latency/source.h"

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Samples, HaveMinimumQuantilesMeanAndDeviation) {
  const Samples samples = make_samples({5, 1, 9, 2, 4});
  EXPECT_EQ(samples.minimum, 1);
  EXPECT_EQ(samples.median, 4);
  EXPECT_EQ(samples.p95, 9);
  EXPECT_EQ(samples.mean, 4.2);
  EXPECT_EQ(samples.mad, 2);  // of 1, 3, 5, 2, 0
  EXPECT_THAT(samples.ns, ElementsAre(5, 1, 9, 2, 4)) << "in the order of the rounds";
  EXPECT_TRUE(make_samples({}).empty());
}

TEST(Samples, OfTwoCasesArePairedByRound) {
  const Samples three = make_samples({30, 90, 40}), two = make_samples({10, 60});
  EXPECT_THAT(paired(three, two, std::minus()).ns, ElementsAre(20, 30));
  EXPECT_THAT(paired(three, make_samples({10, 60, 80}), std::divides()).ns,
              ElementsAre(3, 1.5, 0.5));
}

TEST(TimeCounts, HaveTheQuantilesOfTheSortedTimes) {
  TimeCounts times;
  for (const int64_t ns : {7, 3, 3, 50, 7, 7, 3, 3, 3, 3}) times.add(ns);
  EXPECT_EQ(times.n(), 10U);
  EXPECT_EQ(times.quantile(0), 3);
  EXPECT_EQ(times.quantile(50), 3) << "index 5 of 3 3 3 3 3 3 7 7 7 50";
  EXPECT_EQ(times.quantile(60), 7);
  EXPECT_EQ(times.quantile(95), 50);
  EXPECT_EQ(times.quantile(100), 50);
  EXPECT_EQ(times.mean(), 8.9);
  EXPECT_EQ(TimeCounts().quantile(50), 0);
}

/// Operators and nodes of one thread; `parent` -1: none.
Recording recorded(const std::vector<std::tuple<EventKind, const char*, int, int, int>>& events) {
  ThreadRecording thread;
  thread.number = 1;
  for (const auto& [kind, name, begin, end, parent] : events)
    thread.events.push_back(
        {name, begin, end, 1, parent < 0 ? kNoEvent : static_cast<uint32_t>(parent), 0, 1, kind});
  Recording recording;
  recording.threads.push_back(thread);
  return recording;
}

TEST(RecordedTimes, OfNodesAreSplitIntoWhatTheyCallAndTheRest) {
  const Recording recording = recorded({{EventKind::Node, "MulBackward0", 100, 200, -1},
                                        {EventKind::Operator, "mul", 120, 160, 0},
                                        {EventKind::Node, "AccumulateGrad", 300, 350, -1}});
  RecordedTimes backward, tensor;
  backward.add(recording, WorkClass::Backward);
  EXPECT_EQ(backward.total.n(), 1U) << "AccumulateGrad is not one of the chain's nodes";
  EXPECT_EQ(backward.total.quantile(50), 100);
  EXPECT_EQ(backward.self.quantile(50), 60);
  tensor.add(recording, WorkClass::Tensor);
  EXPECT_EQ(tensor.total.n(), 0U) << "an operator that a node calls is not one of the program's";
}

TEST(RecordedTimes, OfOperatorsAreThoseThatTheProgramCalls) {
  const Recording recording = recorded({{EventKind::Operator, "linear", 100, 190, -1},
                                        {EventKind::Operator, "mm", 110, 150, 0},
                                        {EventKind::Operator, "linear", 200, 300, -1}});
  RecordedTimes times;
  times.add(recording, WorkClass::Differentiable);
  EXPECT_EQ(times.total.n(), 2U);
  EXPECT_EQ(times.total.mean(), 95);
  EXPECT_EQ(times.self.mean(), 75);
}

TEST(InstructionCounter, CountsOrSaysWhyNot) {
  const InstructionCounter counter;
  if (counter.reason().empty()) {
    const int64_t before = counter.read();
    volatile int sum = 0;
    for (int i = 0; i < 1000; ++i) sum = sum + i;
    EXPECT_GT(counter.read(), before + 1000);
  } else {
    EXPECT_THAT(counter.reason(), StartsWith("no perf counters: "));
    EXPECT_EQ(counter.read(), -1);
  }
}

/// With an event that machines without counters have, too.
TEST(InstructionCounter, ReadsWhatTheKernelCounts) {
  const InstructionCounter counter(InstructionCounter::thread_time());
  if (!counter.reason().empty()) GTEST_SKIP() << counter.reason();
  const int64_t before = counter.read();
  volatile int sum = 0;
  for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
  EXPECT_GT(counter.read(), before);
  EXPECT_GT(before, 0);
}

/// The same with the kernel's count of ns in place of instructions.
TEST(OwnSource, CountsPerOperationWhateverItsCallsMake) {
  const InstructionCounter counter(InstructionCounter::thread_time());
  if (!counter.reason().empty()) GTEST_SKIP() << counter.reason();
  OwnSource source;
  for (const WorkClass work : kWorkClasses) {
    const double counted = source.instructions({"mul", work, 65536}, counter);
    EXPECT_GT(counted, 1'000) << name_of(work) << ": 65536 products take longer";
    EXPECT_LT(counted, 10'000'000) << name_of(work);
  }
}

TEST(InstructionCounter, AnEventThatThereIsNotHasAReason) {
  const InstructionCounter counter({0xFFFF, 0xFFFF});
  EXPECT_THAT(counter.reason(), StartsWith("no perf counters: perf_event_open: "));
  EXPECT_EQ(counter.read(), -1);
}

}  // namespace
}  // namespace notape::trace
