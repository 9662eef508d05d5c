#include "trace/record/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "autograd/tensor/factories.h"
#include "ops/elementwise.h"
#include "trace/record/range.h"
#include "trace/testing/recordings.h"

namespace notape::trace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Gt;
using testing::names_of;
using testing::record;
using testing::slice_named;
using ::testing::UnorderedElementsAre;

TEST(Recorder, SeesNothingWhileItIsOff) {
  EXPECT_EQ(active_observer.load(), nullptr);
  const Tensor a = ones({4});
  const Tensor before = a + a;
  Recording recording = record([] {});
  EXPECT_EQ(recording.events(), 0U);
  EXPECT_TRUE(recording.threads.empty());
  EXPECT_EQ(active_observer.load(), nullptr);
  const Tensor after = a + a;
  EXPECT_EQ(record([] {}).events(), 0U);
}

TEST(Recorder, SeesOperatorsInOrderWithTheirTimes) {
  const Tensor a = ones({4});
  const Recording recording = record([&] { const Tensor b = (a + a) * a; });
  ASSERT_EQ(recording.threads.size(), 1U);
  const auto& events = recording.threads[0].events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_STREQ(events[0].name, "add");
  EXPECT_STREQ(events[1].name, "mul");
  EXPECT_LE(recording.started.monotonic_ns, events[0].begin_ns);
  EXPECT_LE(events[0].begin_ns, events[0].end_ns);
  EXPECT_LE(events[0].end_ns, events[1].begin_ns);
  EXPECT_LE(events[1].end_ns, recording.stopped.monotonic_ns);
}

TEST(Recorder, NestsRangesStepsAndOperators) {
  const Tensor a = ones({4});
  const Timeline timeline = make_timeline(record([&] {
    const Step step(3);
    const Range range("forward");
    const Tensor b = a + a;
  }));
  ASSERT_EQ(timeline.slices.size(), 3U);
  EXPECT_EQ(timeline.slices[0].kind, EventKind::Step);
  EXPECT_EQ(timeline.slices[0].step, 3U);
  EXPECT_EQ(timeline.slices[0].parent, -1);
  EXPECT_STREQ(timeline.slices[1].name, "forward");
  EXPECT_EQ(timeline.slices[1].parent, 0);
  EXPECT_STREQ(timeline.slices[2].name, "add");
  EXPECT_EQ(timeline.slices[2].parent, 1);
}

TEST(Recorder, LinksEachBackwardNodeToTheOperatorThatRecordedIt) {
  const Tensor x = ones({4}, requires_grad());
  const Timeline timeline = make_timeline(record([&] { (x * x + x).backward(ones({4})); }));
  const Slice &add = slice_named(timeline, "add"), &mul = slice_named(timeline, "mul");
  EXPECT_EQ(slice_named(timeline, "AddBackward0").sequence_nr, add.sequence_nr);
  EXPECT_EQ(slice_named(timeline, "MulBackward0").sequence_nr, mul.sequence_nr);
  EXPECT_EQ(add.sequence_nr, mul.sequence_nr + 1);
  EXPECT_EQ(slice_named(timeline, "AccumulateGrad").sequence_nr, -1);
  std::vector<std::pair<std::string, std::string>> links;
  for (const BackwardLink& link : timeline.links)
    links.emplace_back(timeline.slices[link.forward].name, timeline.slices[link.backward].name);
  EXPECT_THAT(links, UnorderedElementsAre(std::pair("add", "AddBackward0"),
                                          std::pair("mul", "MulBackward0")));
}

TEST(Recorder, GivesNoSequenceNumberToAnOperatorThatRecordedNothing) {
  const Tensor a = ones({4});
  const Timeline timeline = make_timeline(record([&] { const Tensor b = a + a; }));
  EXPECT_EQ(slice_named(timeline, "add").sequence_nr, -1);
}

TEST(Recorder, LinksAcrossThreadsWhoseSequenceNumbersAreTheSame) {
  Tensor y[2];
  int64_t forward_tid[2];
  const Timeline timeline = make_timeline(record([&] {
    for (int i = 0; i < 2; ++i) {
      std::thread([&, i] {
        const Tensor x = ones({4}, requires_grad());
        y[i] = i == 0 ? x + x : x * x;
        forward_tid[i] = gettid();
      }).join();
    }
    for (const Tensor& root : y) root.backward(ones({4}));
  }));
  ASSERT_EQ(timeline.links.size(), 2U);
  const Slice &add = slice_named(timeline, "AddBackward0"),
              &mul = slice_named(timeline, "MulBackward0");
  EXPECT_EQ(add.sequence_nr, mul.sequence_nr);  // new threads count from the same number
  EXPECT_EQ(add.forward_tid, forward_tid[0]);
  EXPECT_EQ(mul.forward_tid, forward_tid[1]);
  EXPECT_EQ(timeline.threads[add.thread].tid, gettid());
}

TEST(Recorder, KeepsTheEventsOfThreadsApartAndOutlivesThem) {
  constexpr int kThreads = 4, kCalls = 200;
  const Recording recording = record([&] {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([] {
        const Range range("work");
        const Tensor a = ones({4});
        for (int i = 0; i < kCalls; ++i) const Tensor b = a + a;
      });
    }
  });
  ASSERT_EQ(recording.threads.size(), std::size_t{kThreads});
  const Timeline timeline = make_timeline(recording);
  for (const ThreadRecording& thread : recording.threads) {
    ASSERT_EQ(thread.events.size(), std::size_t{kCalls + 1});
    EXPECT_STREQ(thread.events[0].name, "work");
    for (std::size_t i = 1; i < thread.events.size(); ++i) EXPECT_EQ(thread.events[i].parent, 0U);
  }
  EXPECT_EQ(timeline.clipped, 0U);
  EXPECT_EQ(timeline.threads.size(), std::size_t{kThreads});
}

TEST(Recorder, CountsWhatAFullLogLoses) {
  const Tensor a = ones({4});
  Recorder::Options tiny;
  tiny.events_per_thread = 3;
  const Recording recording = record(
      [&] {
        const Range outer("outer");
        for (int i = 0; i < 10; ++i) const Tensor b = a + a;
      },
      tiny);
  EXPECT_EQ(recording.events(), 3U);
  EXPECT_EQ(recording.dropped(), 8U);
  EXPECT_EQ(recording.events_per_thread, 3U);
  for (const Event& event : recording.threads[0].events) EXPECT_NE(event.end_ns, 0) << event.name;
}

TEST(Recorder, SaysWhatWasStillRunningWhenItStopped) {
  const Tensor a = ones({4});
  Recorder::instance().start();
  Recording recording;
  {
    const Range cut("cut");
    const Tensor b = a + a;
    recording = Recorder::instance().stop();
  }
  const Timeline timeline = make_timeline(recording);
  EXPECT_EQ(timeline.unfinished, 1U);
  EXPECT_TRUE(slice_named(timeline, "cut").unfinished);
  EXPECT_FALSE(slice_named(timeline, "add").unfinished);
  EXPECT_EQ(slice_named(timeline, "cut").end_ns,
            recording.stopped.monotonic_ns - recording.started.monotonic_ns);
}

TEST(Recorder, ForgetsAnEventThatBeganInAnEarlierSession) {
  const Tensor a = ones({4});
  Recorder::instance().start();
  Recording second;
  {
    const Range across("across");
    Recorder::instance().stop();
    Recorder::instance().start();
    const Tensor b = a + a;
  }
  const Tensor c = a * a;
  const Timeline timeline = make_timeline(Recorder::instance().stop());
  EXPECT_THAT(names_of(timeline, EventKind::Range), ElementsAre());
  EXPECT_THAT(names_of(timeline, EventKind::Operator), ElementsAre("add", "mul"));
  for (const Slice& slice : timeline.slices) EXPECT_EQ(slice.parent, -1);
}

TEST(Recorder, StartsAndStopsWhileOtherThreadsWork) {
  std::atomic<bool> done{false};
  std::barrier ready(3);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      const Tensor x = ones({4}, requires_grad());
      ready.arrive_and_wait();
      while (!done) {
        const Range range("work");
        (x * x).backward(ones({4}));
      }
    });
  }
  ready.arrive_and_wait();
  for (int i = 0; i < 20; ++i) {
    const Timeline timeline = make_timeline(record([] { std::this_thread::yield(); }));
    for (const Slice& slice : timeline.slices) ASSERT_LT(slice.begin_ns, slice.end_ns);
  }
  done = true;
}

TEST(Recorder, RefusesToStartTwiceAndToStopWhileOff) {
  EXPECT_THROW(Recorder::instance().stop(), RecorderError);
  Recorder::instance().start();
  EXPECT_THROW(Recorder::instance().start(), RecorderError);
  Recorder::instance().stop();
}

TEST(Recorder, KnowsWhatItCosts) {
  const RecorderCost cost = record([] {}).cost;
  for (double ns : {cost.operation_ns, cost.node_ns, cost.range_ns}) {
    EXPECT_GT(ns, 0);
    EXPECT_LT(ns, 100'000);
  }
}

TEST(Intern, GivesEqualNamesOnePlace) {
  const std::string name = "layer 1";
  EXPECT_EQ(intern(name), intern("layer 1"));
  EXPECT_STREQ(intern(name), "layer 1");
  EXPECT_NE(intern("layer 1"), intern("layer 2"));
}

}  // namespace
}  // namespace notape::trace
