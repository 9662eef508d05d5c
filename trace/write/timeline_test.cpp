#include "trace/write/timeline.h"

#include <gtest/gtest.h>

#include "trace/testing/recordings.h"

namespace notape::trace {
namespace {

using testing::event;
using testing::node;
using testing::operation;
using testing::recording_of;

Timeline timeline_of(std::vector<Event> events) {
  return make_timeline(recording_of({{1, 100, "main", std::move(events), 0}}));
}

TEST(Timeline, GivesAnEmptySliceOneNanosecond) {
  const Timeline timeline = timeline_of({event(EventKind::Range, "empty", 50, 50)});
  EXPECT_EQ(timeline.slices[0].duration_ns(), 1);
  EXPECT_EQ(timeline.clipped, 1U);
}

TEST(Timeline, StretchesAParentOverAnEmptyChildAtItsEnd) {
  const Timeline timeline = timeline_of({
      event(EventKind::Range, "parent", 10, 20),
      event(EventKind::Range, "child", 20, 20, 0),
      event(EventKind::Range, "next", 20, 30),
  });
  EXPECT_EQ(timeline.slices[0].end_ns, 21);
  EXPECT_EQ(timeline.slices[1].end_ns, 21);
  EXPECT_EQ(timeline.slices[2].begin_ns, 21);
  EXPECT_EQ(timeline.slices[2].end_ns, 30);
}

TEST(Timeline, SelfTimeIsWhatChildrenLeave) {
  const Timeline timeline = timeline_of({
      event(EventKind::Range, "outer", 0, 100),
      event(EventKind::Range, "inner", 10, 40, 0),
      event(EventKind::Range, "innermost", 15, 20, 1),
      event(EventKind::Range, "second", 50, 60, 0),
  });
  EXPECT_EQ(timeline.slices[0].self_ns(), 60);
  EXPECT_EQ(timeline.slices[1].self_ns(), 25);
  EXPECT_EQ(timeline.slices[2].self_ns(), 5);
}

TEST(Timeline, ANodeBelongsToTheInnermostOperatorThatRecordedIt) {
  const Timeline timeline = timeline_of({
      operation("outer", 0, 100, 5, 3),  // records 5 through "first", 6 itself, 7 through "last"
      operation("first", 10, 20, 5, 1, 0),
      operation("last", 50, 60, 7, 1, 0),
      node("FirstBackward", 200, 210, 5, 1),
      node("OuterBackward", 220, 230, 6, 1),
      node("LastBackward", 240, 250, 7, 1),
  });
  EXPECT_EQ(timeline.slices[0].sequence_nr, 6);
  EXPECT_EQ(timeline.slices[1].sequence_nr, 5);
  EXPECT_EQ(timeline.slices[2].sequence_nr, 7);
  ASSERT_EQ(timeline.links.size(), 3U);
  EXPECT_EQ(timeline.links[0].forward, 1U);
  EXPECT_EQ(timeline.links[1].forward, 0U);
  EXPECT_EQ(timeline.links[2].forward, 2U);
}

TEST(Timeline, AnOperatorAroundOthersThatRecordsNothingItselfHasNoNode) {
  const Timeline timeline = timeline_of({
      operation("outer", 0, 100, 5, 1),
      operation("inner", 10, 20, 5, 1, 0),
  });
  EXPECT_EQ(timeline.slices[0].sequence_nr, -1);
  EXPECT_EQ(timeline.slices[1].sequence_nr, 5);
}

TEST(Timeline, LeavesANodeAloneWhoseForwardOperatorWasNotRecorded) {
  const Timeline timeline = timeline_of({node("AddBackward0", 0, 10, 3, 1)});
  EXPECT_TRUE(timeline.links.empty());
  EXPECT_EQ(timeline.slices[0].sequence_nr, 3);
  EXPECT_EQ(timeline.slices[0].forward_tid, 0);
}

TEST(Timeline, DoesNotTakeAnotherThreadsNodeOfTheSameNumber) {
  const Timeline timeline = make_timeline(recording_of({
      {1, 100, "one", {operation("add", 0, 10, 3, 1)}, 0},
      {2, 200, "two", {operation("mul", 0, 10, 3, 1), node("MulBackward0", 20, 30, 3, 2)}, 0},
  }));
  ASSERT_EQ(timeline.links.size(), 1U);
  EXPECT_STREQ(timeline.slices[timeline.links[0].forward].name, "mul");
  EXPECT_EQ(timeline.slices[2].forward_tid, 200);
}

}  // namespace
}  // namespace notape::trace
