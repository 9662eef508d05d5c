#include "trace/latency/crossover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace notape::trace {
namespace {

using ::testing::HasSubstr;

/// `dispatch` and a thousandth of `per_1000` per float.
std::vector<CurvePoint> straight(double dispatch, double per_1000) {
  std::vector<CurvePoint> points;
  for (int64_t size = 1; size <= 65536; size *= 4)
    points.push_back({size, dispatch + per_1000 * static_cast<double>(size - 1) / 1000});
  return points;
}

TEST(Crossover, IsWhereWorkTakesAsLongAsDispatch) {
  // Work takes 40 ns at 1 + 1600 floats, between 1024 (65.6 ns) and 4096 (142.4 ns).
  const Crossover found = crossover(straight(40, 25));
  EXPECT_EQ(found.dispatch_ns, 40);
  EXPECT_NEAR(found.ns_per_1000, 25, 1e-9);
  ASSERT_TRUE(found.size);
  EXPECT_NEAR(*found.size, 1461.2, 0.1) << "on the straight line of logarithms";
  EXPECT_THAT(found.words, HasSubstr("dispatch takes 40.0 ns (1 float)"));
  EXPECT_THAT(found.words, HasSubstr("from about 1461 floats on (1024 take 1.6 times as long, "
                                     "4096 take 3.6 times)"));
}

TEST(Crossover, OnAMeasuredSizeIsThatSize) {
  const Crossover found = crossover({{1, 10}, {4, 12}, {16, 20}, {64, 60}});
  ASSERT_TRUE(found.size);
  EXPECT_NEAR(*found.size, 16, 1e-9);
}

TEST(Crossover, ThatNeverComesIsNothingWithAReason) {
  const Crossover found = crossover(straight(40, 0.1));
  EXPECT_FALSE(found.size);
  EXPECT_THAT(found.words, HasSubstr("work does not outweigh it up to 65536 floats, which take 1.2 "
                                     "times as long"));
}

TEST(Crossover, ADisturbedSmallSizeIsNotTakenForWork) {
  std::vector<CurvePoint> points = straight(40, 25);
  points[2].ns = 900;
  EXPECT_EQ(crossover(points).size, crossover(straight(40, 25)).size);
}

TEST(Crossover, OfOneSizeIsNone) {
  const Crossover found = crossover({{8, 30}});
  EXPECT_FALSE(found.size);
  EXPECT_EQ(found.dispatch_ns, 30);
  EXPECT_EQ(found.ns_per_1000, 0);
}

}  // namespace
}  // namespace notape::trace
