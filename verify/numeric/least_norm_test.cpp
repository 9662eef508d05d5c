// Least norms known from geometry.
#include "verify/numeric/least_norm.h"

#include <gtest/gtest.h>

namespace notape::verify {
namespace {

void expect_least(const std::vector<std::vector<Wide>>& gradients,
                  const std::vector<double>& expected) {
  const std::vector<Wide> found = least_norm(gradients);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(static_cast<double>(found[i]), expected[i], 1e-15) << i;
}

TEST(LeastNorm, OnALineIsZeroBetweenSignsElseTheSmallerSlope) {
  expect_least({{-1}, {1}}, {0});
  expect_least({{0}, {1}}, {0});
  expect_least({{0.25}, {1}}, {0.25});
  expect_least({{-3}, {-2}}, {-2});
  expect_least({{5}}, {5});
  expect_least({{5}, {5}, {5}}, {5});
}

TEST(LeastNorm, OfTiedPiecesIsAnEqualShare) {
  expect_least({{1, 0}, {0, 1}}, {0.5, 0.5});
  expect_least({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1.0 / 3, 1.0 / 3, 1.0 / 3});
  expect_least({{1, 0}, {0, 2}}, {0.8, 0.4});
}

TEST(LeastNorm, InsideIsTheOrigin) {
  expect_least({{1, 1}, {-1, 1}, {1, -1}, {-1, -1}}, {0, 0});
  expect_least({{1, 0}, {0, 1}, {0, 0}}, {0, 0});
}

}  // namespace
}  // namespace notape::verify
