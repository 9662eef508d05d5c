#include "trace/write/timeline_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "trace/testing/recordings.h"

namespace notape::trace {
namespace {

using testing::event;
using ::testing::HasSubstr;
using testing::node;
using ::testing::Not;
using testing::operation;
using testing::recording_of;

std::string picture_of(std::vector<ThreadRecording> threads) {
  return timeline_svg(make_timeline(recording_of(std::move(threads))), "a title");
}
std::string picture_of(std::vector<Event> events) {
  return picture_of(std::vector<ThreadRecording>{{1, 100, "main", std::move(events), 0}});
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

struct Bar {
  double x = 0, y = 0, width = 0;
};
/// The slice whose tooltip begins with `name`.
Bar bar_of(const std::string& svg, const std::string& name) {
  const std::regex pattern(
      "<title>" + name +
      ",[^<]*</title>\\s*<rect x=\"([\\d.]+)\" y=\"([\\d.]+)\" width=\"([\\d.]+)\"");
  std::smatch found;
  if (!std::regex_search(svg, found, pattern)) {
    ADD_FAILURE() << "no slice " << name;
    return {};
  }
  return {std::stod(found[1]), std::stod(found[2]), std::stod(found[3])};
}

TEST(TimelineSvg, AnInnerSliceIsBelowTheOneAroundIt) {
  const std::string svg =
      picture_of({operation("matmul", 0, 1000, 0, 1), operation("mm", 250, 750, 0, 1, 0)});
  const Bar outer = bar_of(svg, "matmul"), inner = bar_of(svg, "mm");
  EXPECT_GT(inner.y, outer.y);
  EXPECT_NEAR(inner.width, outer.width / 2, .2);
  EXPECT_NEAR(inner.x - outer.x, outer.width / 4, .2);
  EXPECT_THAT(svg, HasSubstr("class=\"code in\">matmul</text>"));
  EXPECT_THAT(svg, HasSubstr("thread 100 (main)"));
  EXPECT_THAT(svg, HasSubstr("a title"));
}

TEST(TimelineSvg, ALongStretchOfNothingIsCutAndNamed) {
  const std::string svg =
      picture_of({operation("first", 0, 1000, 0, 0), operation("second", 501'000, 502'000, 0, 0)});
  EXPECT_THAT(svg, HasSubstr("class=\"cut\""));
  EXPECT_THAT(svg, HasSubstr(">500 us</text>"));
  EXPECT_NEAR(bar_of(svg, "first").width, bar_of(svg, "second").width, .2);
}

TEST(TimelineSvg, ManyLongStretchesLeaveRoomForTheWork) {
  std::vector<Event> events;
  for (int64_t i = 0; i < 300; ++i)
    events.push_back(
        operation(i == 299 ? "last" : "other", i * 1'000'000, i * 1'000'000 + 1000, 0, 0));
  const Bar last = bar_of(picture_of(std::move(events)), "last");
  EXPECT_GT(last.width, 1);
  EXPECT_LT(last.x + last.width, 1000);
}

TEST(TimelineSvg, AShortStretchOfNothingIsDrawn) {
  const std::string svg =
      picture_of({operation("first", 0, 10'000, 0, 0), operation("second", 10'100, 20'000, 0, 0)});
  EXPECT_THAT(svg, Not(HasSubstr("class=\"cut\"")));
}

TEST(TimelineSvg, ARangeIsDrawnButIsNoWork) {
  const std::string svg = picture_of({event(EventKind::Range, "epoch", 0, 1'000'000),
                                      operation("first", 1000, 2000, 0, 0, 0),
                                      operation("second", 900'000, 901'000, 0, 0, 0)});
  EXPECT_THAT(svg, HasSubstr("class=\"cut\""));
  EXPECT_GT(bar_of(svg, "epoch").width, bar_of(svg, "first").width * 2);
}

TEST(TimelineSvg, ANodeIsLinkedToTheOperatorThatRecordedIt) {
  const std::string svg =
      picture_of({operation("tanh", 0, 1000, 7, 1), node("TanhBackward0", 1500, 2500, 7, 1)});
  EXPECT_EQ(count_of(svg, "C"), 1 + count_of(picture_of({operation("tanh", 0, 1000, 7, 1)}), "C"));
  EXPECT_THAT(svg, HasSubstr("class=\"node\""));
}

TEST(TimelineSvg, ALongLinkStaysInThePicture) {
  const std::string svg =
      picture_of({operation("tanh", 0, 1000, 7, 1), operation("work", 1000, 99'000, 0, 0),
                  node("TanhBackward0", 99'000, 100'000, 7, 1)});
  std::smatch box, curve;
  ASSERT_TRUE(std::regex_search(svg, box, std::regex("viewBox=\"0 0 [\\d.]+ ([\\d.]+)\"")));
  ASSERT_TRUE(std::regex_search(
      svg, curve, std::regex("M[\\d.]+ ([\\d.]+)C[\\d.]+ ([\\d.]+) [\\d.]+ ([\\d.]+)")));
  const double end = std::stod(curve[1]), sag = std::stod(curve[2]);
  EXPECT_GT(sag, end + 60);
  EXPECT_LT(end / 4 + sag * 3 / 4, std::stod(box[1])) << "where the curve is lowest";
}

TEST(TimelineSvg, SlicesTooShortToSeeAreCounted) {
  const std::string svg = picture_of(
      {operation("long", 0, 10'000'000, 0, 0), operation("short", 5'000'000, 5'000'001, 0, 0, 0)});
  EXPECT_THAT(svg, HasSubstr("slices too short to be seen: 1"));
  EXPECT_THAT(svg, Not(HasSubstr("<title>short")));
}

TEST(TimelineSvg, ThreadsHaveRowsOfTheirOwn) {
  const std::string svg = picture_of({{1, 100, "main", {operation("a", 0, 1000, 0, 0)}, 0},
                                      {2, 101, "worker", {operation("b", 0, 1000, 0, 0)}, 0}});
  EXPECT_GT(bar_of(svg, "b").y, bar_of(svg, "a").y + 20);
  EXPECT_THAT(svg, HasSubstr("thread 101 (worker)"));
}

TEST(TimelineSvg, NamesAreNoMarkup) {
  EXPECT_THAT(
      picture_of({event(EventKind::Range, "a<b>", 0, 1000), operation("x", 0, 1000, 0, 0, 0)}),
      HasSubstr("<title>a&lt;b&gt;, "));
}

TEST(TimelineSvg, OfNothingIsAPictureStill) {
  EXPECT_THAT(picture_of(std::vector<ThreadRecording>{}), HasSubstr("</svg>"));
  EXPECT_THAT(picture_of({event(EventKind::Range, "only", 0, 1000)}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace notape::trace
