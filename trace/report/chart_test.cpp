#include "trace/report/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/report/curve.h"

namespace notape::trace {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Axis, TicksAreRoundAndInside) {
  EXPECT_THAT(Axis(0, 100, 0, 1).ticks(5), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(Axis(0, 2.9, 0, 1).ticks(4), ElementsAre(0, 1, 2));
  EXPECT_THAT(Axis::logarithmic(3, 2'000, 0, 1).ticks(4), ElementsAre(10, 100, 1'000));
  EXPECT_THAT(Axis::logarithmic(1, 20, 0, 1).ticks(9), ElementsAre(1, 2, 5, 10, 20));
  EXPECT_FALSE(std::signbit(Axis(0, 100, 0, 1).ticks(5).front()));
}

TEST(Axis, ValuesOutsideStayAtItsEnds) {
  const Axis axis(0, 10, 100, 200);
  EXPECT_EQ(axis.at(5), 150);
  EXPECT_EQ(axis.at(-5), 100);
  EXPECT_EQ(axis.at(50), 200);
  EXPECT_EQ(Axis(3, 3, 0, 1).at(3), 0);
}

TEST(StackedRow, ColumnsShowSharesOfTheirTime) {
  const IntervalSet half({{0, 50}}), rest({{50, 100}});
  // One column of 100 ns: the first part fills its lower half, the second the upper.
  const std::string svg = stacked_row_svg({{"a", &half}, {"b", &rest}}, {0, 100}, 0, 20, 0, 1);
  EXPECT_THAT(svg, HasSubstr("<path class=\"a\" d=\"M0 20h1v-10h-1z\"/>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"b\" d=\"M0 10h1v-10h-1z\"/>"));
}

TEST(StackedRow, ShortPartsAreAPixelHighAndManyStaySmall) {
  const IntervalSet short_one({{500, 501}});
  EXPECT_THAT(stacked_row_svg({{"a", &short_one}}, {0, 1'000'000}, 0, 20, 0, 10),
              HasSubstr("v-1h"));
  std::vector<Interval> many;
  for (int64_t i = 0; i < 100'000; ++i) many.push_back({10 * i, 10 * i + 1 + i % 9});
  const IntervalSet crowded(std::move(many));
  EXPECT_LT(stacked_row_svg({{"a", &crowded}}, {0, 1'000'000}, 0, 34).size(), 40'000u);
}

TEST(StackedRow, AWindowWithoutLengthIsNoReasonToFail) {
  const IntervalSet some({{0, 10}});
  EXPECT_THAT(stacked_row_svg({{"a", &some}}, {5, 5}, 0, 20), HasSubstr("back"));
}

TEST(Curve, PixelsHaveTheHighestAndTheMean) {
  const PixelValues pixels = merged_to_pixels({{0, 4}, {5, 9}, {10, 0}, {19, 6}}, {0, 20}, 0, 2);
  EXPECT_THAT(pixels.highest, ElementsAre(9, 6));
  EXPECT_DOUBLE_EQ(pixels.mean[0], 6.5);
  EXPECT_NEAR(pixels.mean[1], 0.6, 1e-9);
  EXPECT_THAT(merged_to_pixels({}, {0, 20}, 7, 3).highest, Each(7));
}

}  // namespace
}  // namespace notape::trace
