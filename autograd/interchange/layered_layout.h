// Where the boxes of a graph are drawn: in layers, so that every edge points down, by the method of
// Sugiyama, Tagawa and Toda (1981).
#pragma once
#include <cstddef>
#include <vector>

namespace notape::interchange {

struct Point {
  double x = 0, y = 0;
};
struct BoxSize {
  double width = 0, height = 0;
};
/// From the lower side of one box to the upper side of another, both by number.
struct BoxEdge {
  std::size_t from = 0, to = 0;
};

struct LayeredLayout {
  double width = 0, height = 0;           ///< of everything, from (0, 0)
  std::vector<Point> centres;             ///< per box
  std::vector<std::vector<Point>> edges;  ///< per edge: its ends, and a point in each layer between
};

/// Boxes below all boxes that point to them, each layer in an order with few crossings. Equal
/// arguments give equal layouts. Throws ValueError if the edges make a cycle.
LayeredLayout layered_layout(const std::vector<BoxSize>& boxes, const std::vector<BoxEdge>& edges);

}  // namespace notape::interchange
