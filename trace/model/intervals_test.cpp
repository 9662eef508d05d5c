#include "trace/model/intervals.h"

#include <gtest/gtest.h>

#include <random>

namespace notape::trace {
namespace {

using Intervals = std::vector<Interval>;

TEST(IntervalSet, UnitesWhatOverlapsOrTouches) {
  EXPECT_EQ(IntervalSet({{5, 7}, {1, 3}, {3, 4}, {6, 9}, {20, 20}, {12, 11}}).parts(),
            (Intervals{{1, 4}, {5, 9}}));
  EXPECT_EQ(IntervalSet({{5, 7}, {1, 3}}).length(), 4);
  EXPECT_TRUE(IntervalSet({{3, 3}}).empty());
}

TEST(IntervalSet, CutsOutAWindow) {
  const IntervalSet set({{0, 10}, {20, 30}, {40, 50}});
  EXPECT_EQ(set.within({5, 45}).parts(), (Intervals{{5, 10}, {20, 30}, {40, 45}}));
  EXPECT_EQ(set.length_within({5, 45}), 20);
  EXPECT_EQ(set.length_within({10, 20}), 0);
  EXPECT_EQ(set.length_within({30, 10}), 0) << "a window that ends before it begins";
}

/// A set as the moments 0 to 63, one bit each.
uint64_t bits(const IntervalSet& set) {
  uint64_t result = 0;
  for (const Interval& part : set.parts())
    for (int64_t i = part.begin; i < part.end; ++i) result |= uint64_t{1} << i;
  return result;
}

TEST(IntervalSet, AgreesWithSetsOfMoments) {
  std::mt19937 random(1);
  const auto drawn = [&] {
    Intervals intervals;
    for (unsigned i = random() % 8; i > 0; --i) {
      const auto begin = static_cast<int64_t>(random() % 60);
      intervals.push_back({begin, begin + static_cast<int64_t>(random() % 12) - 1});
      intervals.back().end = std::min<int64_t>(intervals.back().end, 64);
    }
    return IntervalSet(std::move(intervals));
  };
  for (int round = 0; round < 2'000; ++round) {
    const IntervalSet a = drawn(), b = drawn();
    EXPECT_EQ(bits(a & b), bits(a) & bits(b));
    EXPECT_EQ(bits(a | b), bits(a) | bits(b));
    EXPECT_EQ(bits(a - b), bits(a) & ~bits(b));
    EXPECT_EQ((a & b).length() + (a - b).length(), a.length());
    const Interval window{10, 50};
    EXPECT_EQ(a.within(window), a & IntervalSet({window}));
    EXPECT_EQ(a.length_within(window), a.within(window).length());
  }
}

}  // namespace
}  // namespace notape::trace
