#include "trace/analysis/level_change.h"

#include <gtest/gtest.h>

#include <random>

namespace notape::trace {
namespace {

/// `n` values around 1,000, differing by a few percent.
std::vector<int64_t> noise(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int64_t> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(980 + static_cast<int64_t>(random() % 41));
  return values;
}

TEST(LevelChange, IsFoundWhereItIs) {
  for (const std::size_t first : {5u, 40u, 150u, 395u}) {
    std::vector<int64_t> values = noise(400, 1);
    for (std::size_t i = first; i < values.size(); ++i) values[i] *= 10;
    const auto change = find_level_change(values);
    // Of five in 400 chance is not ruled out.
    if (first == 5 || first == 395) {
      EXPECT_FALSE(change.has_value()) << first;
      continue;
    }
    ASSERT_TRUE(change.has_value()) << first;
    EXPECT_EQ(change->first, first);
    EXPECT_NEAR(static_cast<double>(change->before), 1'000, 10);
    EXPECT_NEAR(static_cast<double>(change->after), 10'000, 100);
  }
}

TEST(LevelChange, AlsoDownwards) {
  std::vector<int64_t> values = noise(60, 2);
  for (std::size_t i = 0; i < 30; ++i) values[i] *= 2;
  ASSERT_TRUE(find_level_change(values).has_value());
  EXPECT_EQ(find_level_change(values)->first, 30u);
}

TEST(LevelChange, NoiseAndOutliersAreNone) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::vector<int64_t> values = noise(300, seed);
    EXPECT_FALSE(find_level_change(values).has_value()) << seed;
    values[0] *= 300;
    values[200] *= 50;
    values[299] *= 50;
    EXPECT_FALSE(find_level_change(values).has_value()) << seed;
  }
}

TEST(LevelChange, EqualValuesAndFewValuesAreNone) {
  EXPECT_FALSE(find_level_change({}).has_value());
  EXPECT_FALSE(find_level_change(std::vector<int64_t>(100, 7)).has_value());
  std::vector<int64_t> few(23, 100);
  for (std::size_t i = 12; i < 23; ++i) few[i] = 900;
  EXPECT_FALSE(find_level_change(few).has_value());
  few.push_back(900);
  EXPECT_TRUE(find_level_change(few).has_value());
}

TEST(LevelChange, LessThanATenthIsNone) {
  std::vector<int64_t> values(100, 1'000);
  for (std::size_t i = 50; i < 100; ++i) values[i] = 1'099;
  EXPECT_FALSE(find_level_change(values).has_value());
  for (std::size_t i = 50; i < 100; ++i) values[i] = 1'101;
  EXPECT_TRUE(find_level_change(values).has_value());
}

}  // namespace
}  // namespace notape::trace
