#include "autograd/interchange/layered_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "autograd/error.h"

namespace notape::interchange {
namespace {

std::vector<BoxSize> boxes(std::size_t count) {
  std::vector<BoxSize> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({40 + 10 * static_cast<double>(i % 4), 20 + 8 * static_cast<double>(i % 3)});
  return all;
}

void expect_readable(const std::vector<BoxSize>& sizes, const std::vector<BoxEdge>& edges) {
  const LayeredLayout layout = layered_layout(sizes, edges);
  ASSERT_EQ(layout.centres.size(), sizes.size());
  ASSERT_EQ(layout.edges.size(), edges.size());
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    const Point at = layout.centres[a];
    EXPECT_GE(at.x - sizes[a].width / 2, -1e-9);
    EXPECT_LE(at.x + sizes[a].width / 2, layout.width + 1e-9);
    EXPECT_GE(at.y - sizes[a].height / 2, -1e-9);
    EXPECT_LE(at.y + sizes[a].height / 2, layout.height + 1e-9);
    for (std::size_t b = 0; b < a; ++b) {
      const Point other = layout.centres[b];
      EXPECT_TRUE(std::abs(at.x - other.x) >= (sizes[a].width + sizes[b].width) / 2 ||
                  std::abs(at.y - other.y) >= (sizes[a].height + sizes[b].height) / 2)
          << "boxes " << a << " and " << b << " overlap";
    }
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::vector<Point>& path = layout.edges[e];
    const auto [from, to] = edges[e];
    EXPECT_LE(std::abs(path.front().x - layout.centres[from].x), sizes[from].width / 2);
    EXPECT_LE(std::abs(path.back().x - layout.centres[to].x), sizes[to].width / 2);
    EXPECT_DOUBLE_EQ(path.front().y, layout.centres[from].y + sizes[from].height / 2);
    EXPECT_DOUBLE_EQ(path.back().y, layout.centres[to].y - sizes[to].height / 2);
    for (std::size_t i = 1; i < path.size(); ++i) EXPECT_GT(path[i].y, path[i - 1].y);
  }
}

TEST(LayeredLayout, OfNothingIsEmpty) {
  const LayeredLayout layout = layered_layout({}, {});
  EXPECT_EQ(layout.width, 0);
  EXPECT_EQ(layout.height, 0);
}

TEST(LayeredLayout, EdgesPointDownAndBoxesStandApart) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const std::size_t count = 1 + random() % 14;
    std::vector<BoxEdge> edges;
    for (std::size_t to = 1; to < count; ++to)
      for (std::size_t k = random() % 3; k-- > 0;) edges.push_back({random() % to, to});
    expect_readable(boxes(count), edges);
  }
}

TEST(LayeredLayout, AChainIsStraight) {
  const LayeredLayout layout = layered_layout(boxes(3), {{0, 1}, {1, 2}});
  EXPECT_DOUBLE_EQ(layout.centres[0].x, layout.centres[1].x);
  EXPECT_DOUBLE_EQ(layout.centres[1].x, layout.centres[2].x);
}

TEST(LayeredLayout, ABoxIsBelowAllThatPointToIt) {
  const LayeredLayout layout = layered_layout(boxes(3), {{0, 1}, {1, 2}, {0, 2}});
  EXPECT_LT(layout.centres[1].y, layout.centres[2].y);
  EXPECT_EQ(layout.edges[2].size(), 3u) << "a point in the layer that it passes";
}

TEST(LayeredLayout, TakesCrossingsOut) {
  const LayeredLayout layout = layered_layout(boxes(4), {{0, 3}, {1, 2}});
  EXPECT_LT(
      (layout.centres[0].x - layout.centres[1].x) * (layout.centres[2].x - layout.centres[3].x), 0);
}

TEST(LayeredLayout, TwoEdgesBetweenTheSameBoxesAreSeenApart) {
  const LayeredLayout layout = layered_layout(boxes(2), {{0, 1}, {0, 1}});
  EXPECT_LT(layout.edges[0].front().x, layout.edges[1].front().x);
}

TEST(LayeredLayout, RefusesACycle) {
  EXPECT_THROW(layered_layout(boxes(2), {{0, 1}, {1, 0}}), ValueError);
}

}  // namespace
}  // namespace notape::interchange
