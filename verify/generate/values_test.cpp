// Values: inside their domain, off its kinks, exact in their dtype, and of every kind promised.
#include "verify/generate/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace notape::verify {
namespace {

const Domain kDomains[] = {
    {},
    {.low = 0, .high = 5},
    {.low = 1e-3, .high = 1e3},
    {.low = -0.999, .high = 0.999},
    {.low = 0.1, .high = 0.7},
    {.low = -8, .high = 8, .kinks = {0}},
    {.low = -8, .high = 8, .kinks = {8}},
    {.low = -4, .high = 4, .kinks = {-3, 3}, .kink_distance = 0.01},
    {.low = -1e6, .high = -1e-6},
};

/// Calls `visit(value, domain, dtype)` for thousands of values.
template <typename Visit>
void for_each_value(Visit visit) {
  for (const Domain& domain : kDomains)
    for (ScalarType dtype : {kFloat64, kFloat32})
      for (uint64_t seed = 0; seed < 100; ++seed) {
        ChoiceDraw draw{rc::Random(seed)};
        for (double value : draw_values(draw, {.sizes = {3, 5}, .domain = domain}, dtype))
          visit(value, domain, dtype);
      }
}

TEST(Values, AreInsideTheirDomain) {
  for_each_value([](double value, const Domain& domain, ScalarType) {
    EXPECT_GE(value, domain.low);
    EXPECT_LE(value, domain.high);
  });
}

TEST(Values, KeepTheirDistanceFromKinks) {
  for_each_value([](double value, const Domain& domain, ScalarType) {
    for (double kink : domain.kinks) EXPECT_GE(std::abs(value - kink), domain.kink_distance);
  });
}

TEST(Values, AreExactInTheirDtype) {
  for_each_value([](double value, const Domain&, ScalarType dtype) {
    if (dtype == kFloat32) {
      EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
    }
  });
}

TEST(Values, VisitEndsSmallSizesWholeNumbersAndFullMantissas) {
  int low = 0, high = 0, zero = 0, small = 0, whole = 0, full = 0, near_one = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    ChoiceDraw draw{rc::Random(seed)};
    for (double value : draw_values(draw, {.sizes = {20}}, kFloat64)) {
      low += value == -3;
      high += value == 3;
      zero += value == 0;
      small += value != 0 && std::abs(value) < 1e-4;
      whole += value == std::round(value);
      near_one += value != 1 && std::abs(value - 1) < 1e-10;
      full += std::ldexp(value, 40) != std::round(std::ldexp(value, 40));
    }
  }
  for (int count : {low, high, zero, small, whole, near_one}) EXPECT_GE(count, 5);
  EXPECT_GE(full, 1000) << "half of them should be ordinary numbers";
}

TEST(Values, IndicesAreInRangeAndReachBothEnds) {
  std::set<double> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    ChoiceDraw draw{rc::Random(seed)};
    for (double value : draw_values(draw, Argument::index({6}, 4), kFloat64)) seen.insert(value);
  }
  EXPECT_EQ(seen, (std::set<double>{0, 1, 2, 3}));
}

TEST(Values, ZeroSizesHaveNoneAndScalarsOne) {
  ChoiceDraw draw{rc::Random(1)};
  EXPECT_TRUE(draw_values(draw, {.sizes = {2, 0}}, kFloat64).empty());
  EXPECT_EQ(draw_values(draw, {.sizes = {}}, kFloat64).size(), 1u);
}

TEST(Values, DistinctOnesStayApartAcrossArguments) {
  const std::vector<Argument> arguments = {{.sizes = {3, 4}, .distinct = true},
                                           {.sizes = {2}, .distinct = false},
                                           {.sizes = {5}, .distinct = true}};
  for (ScalarType dtype : {kFloat64, kFloat32})
    for (uint64_t seed = 0; seed < 50; ++seed) {
      ChoiceDraw draw{rc::Random(seed)};
      const auto drawn = draw_distinct(draw, arguments, dtype);
      EXPECT_TRUE(drawn[1].empty());
      Numbers all = drawn[0];
      all.insert(all.end(), drawn[2].begin(), drawn[2].end());
      ASSERT_EQ(all.size(), 17u);
      std::sort(all.begin(), all.end());
      // A domain of 6, in 17 cells, of which each value has the middle half.
      for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i] - all[i - 1], 0.49 * 6 / 17);
      EXPECT_GE(all.front(), -3);
      EXPECT_LE(all.back(), 3);
    }
}

TEST(Values, DistinctIndicesNeverRepeat) {
  Argument indices = Argument::index({3}, 5);
  indices.distinct = true;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    ChoiceDraw draw{rc::Random(seed)};
    const Numbers drawn = draw_distinct(draw, {indices}, kFloat64)[0];
    EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()).size(), 3u);
    EXPECT_LT(*std::max_element(drawn.begin(), drawn.end()), 5);
  }
}

TEST(Values, TheSameChoicesGiveTheSameValues) {
  ChoiceDraw first{rc::Random(7)};
  const Numbers values = draw_values(first, {.sizes = {9}}, kFloat64);
  ChoiceDraw again{first.made()};
  EXPECT_EQ(draw_values(again, {.sizes = {9}}, kFloat64), values);
}

}  // namespace
}  // namespace notape::verify
