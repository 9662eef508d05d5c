#include "autograd/interchange/layered_layout.h"

#include <algorithm>
#include <numeric>

#include "autograd/error.h"

namespace notape::interchange {
namespace {

constexpr double kBetweenBoxes = 28, kBetweenLayers = 46;
constexpr int kSweeps = 8;

using Row = std::vector<std::size_t>;  // of a layer's boxes, from left to right

/// Boxes and, for edges over several layers, points of no size in the layers between: every edge
/// now leads from one layer to the next.
class Layering {
 public:
  Layering(const std::vector<BoxSize>& boxes, const std::vector<BoxEdge>& edges) : sizes_(boxes) {
    const std::vector<std::size_t> layer = layers_of(boxes.size(), edges);
    for (std::size_t box = 0; box < boxes.size(); ++box) add(box, layer[box]);
    for (const BoxEdge& edge : edges) {
      Row path = {edge.from};
      for (std::size_t between = layer[edge.from] + 1; between < layer[edge.to]; ++between) {
        path.push_back(sizes_.size());
        sizes_.push_back({0, 0});
        add(path.back(), between);
      }
      path.push_back(edge.to);
      paths_.push_back(std::move(path));
    }
    above_.resize(sizes_.size());
    below_.resize(sizes_.size());
    for (const Row& path : paths_)
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        below_[path[i]].push_back(path[i + 1]);
        above_[path[i + 1]].push_back(path[i]);
      }
  }

  const BoxSize& size(std::size_t box) const { return sizes_[box]; }
  std::size_t count() const { return sizes_.size(); }
  const std::vector<Row>& paths() const { return paths_; }
  const Row& above(std::size_t box) const { return above_[box]; }
  const Row& below(std::size_t box) const { return below_[box]; }

  std::vector<Row> rows;

 private:
  /// The longest way from a box that nothing points to.
  static std::vector<std::size_t> layers_of(std::size_t boxes, const std::vector<BoxEdge>& edges) {
    std::vector<std::size_t> layer(boxes, 0), incoming(boxes, 0);
    std::vector<Row> targets(boxes);
    for (const BoxEdge& edge : edges) {
      ++incoming[edge.to];
      targets[edge.from].push_back(edge.to);
    }
    Row ready;
    for (std::size_t box = 0; box < boxes; ++box)
      if (incoming[box] == 0) ready.push_back(box);
    for (std::size_t i = 0; i < ready.size(); ++i)
      for (const std::size_t target : targets[ready[i]]) {
        layer[target] = std::max(layer[target], layer[ready[i]] + 1);
        if (--incoming[target] == 0) ready.push_back(target);
      }
    if (ready.size() != boxes) throw ValueError("a graph with a cycle has no layers");
    return layer;
  }
  void add(std::size_t box, std::size_t layer) {
    if (rows.size() <= layer) rows.resize(layer + 1);
    rows[layer].push_back(box);
  }

  std::vector<BoxSize> sizes_;
  std::vector<Row> paths_, above_, below_;
};

/// Each box's place in its row.
std::vector<double> places(const Layering& graph) {
  std::vector<double> place(graph.count());
  for (const Row& row : graph.rows)
    for (std::size_t i = 0; i < row.size(); ++i) place[row[i]] = static_cast<double>(i);
  return place;
}

/// The mean of `values` over the neighbours; `own` without any.
double mean_over(const Row& neighbours, const std::vector<double>& values, double own) {
  if (neighbours.empty()) return own;
  double sum = 0;
  for (const std::size_t one : neighbours) sum += values[one];
  return sum / static_cast<double>(neighbours.size());
}

std::size_t crossings(const Layering& graph) {
  const std::vector<double> place = places(graph);
  std::size_t count = 0;
  for (const Row& row : graph.rows) {
    std::vector<std::pair<double, double>> ends;
    for (const std::size_t box : row)
      for (const std::size_t below : graph.below(box)) ends.emplace_back(place[box], place[below]);
    for (std::size_t i = 0; i < ends.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        count += (ends[i].first - ends[j].first) * (ends[i].second - ends[j].second) < 0;
  }
  return count;
}

/// Sorts rows by the mean place of their neighbours, downwards and upwards in turn, and keeps the
/// order with the fewest crossings.
void order_rows(Layering& graph) {
  std::vector<Row> best = graph.rows;
  std::size_t fewest = crossings(graph);
  for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (std::size_t i = 0; i < graph.rows.size(); ++i) {
      Row& row = graph.rows[down ? i : graph.rows.size() - 1 - i];
      const std::vector<double> place = places(graph);
      const auto wanted = [&](std::size_t box) {
        return mean_over(down ? graph.above(box) : graph.below(box), place, place[box]);
      };
      std::stable_sort(row.begin(), row.end(),
                       [&](std::size_t a, std::size_t b) { return wanted(a) < wanted(b); });
    }
    if (const std::size_t now = crossings(graph); now < fewest) {
      fewest = now;
      best = graph.rows;
    }
  }
  graph.rows = std::move(best);
}

/// The centres nearest to `wanted`, in least squares, at which the boxes of a row do not touch:
/// isotonic regression by pooling neighbours that would be in the wrong order.
void place_row(const Layering& graph, const Row& row, const std::vector<double>& wanted,
               std::vector<double>& centre) {
  struct Pool {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<double> offset(row.size(), 0);  // from the first box, where all stand close
  for (std::size_t i = 1; i < row.size(); ++i)
    offset[i] = offset[i - 1] + kBetweenBoxes +
                (graph.size(row[i - 1]).width + graph.size(row[i]).width) / 2;
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < row.size(); ++i) {
    pools.push_back({wanted[row[i]] - offset[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::size_t i = 0;
  for (const Pool& pool : pools)
    for (std::size_t k = 0; k < pool.count; ++k, ++i) centre[row[i]] = pool.mean() + offset[i];
}

/// Pulls every box towards its neighbours, row by row; the left edge is 0 in the end.
std::vector<double> place_boxes(const Layering& graph) {
  std::vector<double> centre(graph.count(), 0), wanted(graph.count(), 0);
  for (const Row& row : graph.rows) place_row(graph, row, wanted, centre);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (std::size_t i = 0; i < graph.rows.size(); ++i) {
      const Row& row = graph.rows[down ? i : graph.rows.size() - 1 - i];
      for (const std::size_t box : row)
        wanted[box] = mean_over(down ? graph.above(box) : graph.below(box), centre, centre[box]);
      place_row(graph, row, wanted, centre);
    }
  }
  double left = 0;
  for (std::size_t box = 0; box < graph.count(); ++box)
    left = std::min(left, centre[box] - graph.size(box).width / 2);
  for (double& x : centre) x -= left;
  return centre;
}

/// Ends of edges spread over the side of a box, in the order of where they come from or lead to.
class Ports {
 public:
  Ports(const Layering& graph, const std::vector<Point>& at) : graph_(graph), at_(at) {}

  /// One x per path, for its first or its last box.
  std::vector<double> spread(bool at_start) const {
    const std::vector<Row>& paths = graph_.paths();
    const auto own = [&](std::size_t p) { return at_start ? paths[p].front() : paths[p].back(); };
    const auto next = [&](std::size_t p) {
      return at_start ? paths[p][1] : paths[p][paths[p].size() - 2];
    };
    std::vector<std::size_t> order(paths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (own(a) != own(b)) return own(a) < own(b);
      return at_[next(a)].x < at_[next(b)].x;
    });
    std::vector<double> x(paths.size());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() && own(order[end]) == own(order[begin])) ++end;
      const std::size_t box = own(order[begin]);
      const auto count = static_cast<double>(end - begin);
      const double apart = std::min(22.0, graph_.size(box).width / (count + 1));
      for (std::size_t i = begin; i < end; ++i)
        x[order[i]] = at_[box].x + apart * (static_cast<double>(i - begin) - (count - 1) / 2);
    }
    return x;
  }

 private:
  const Layering& graph_;
  const std::vector<Point>& at_;
};

}  // namespace

LayeredLayout layered_layout(const std::vector<BoxSize>& boxes, const std::vector<BoxEdge>& edges) {
  Layering graph(boxes, edges);
  order_rows(graph);
  const std::vector<double> x = place_boxes(graph);
  LayeredLayout result;
  std::vector<Point> at(graph.count());
  for (const Row& row : graph.rows) {
    double height = 0;
    for (const std::size_t box : row) height = std::max(height, graph.size(box).height);
    if (result.height > 0) result.height += kBetweenLayers;
    for (const std::size_t box : row) {
      at[box] = {x[box], result.height + height / 2};
      result.width = std::max(result.width, x[box] + graph.size(box).width / 2);
    }
    result.height += height;
  }
  const Ports ports(graph, at);
  const std::vector<double> starts = ports.spread(true), ends = ports.spread(false);
  for (std::size_t p = 0; p < edges.size(); ++p) {
    const Row& path = graph.paths()[p];
    std::vector<Point> points = {
        {starts[p], at[path.front()].y + graph.size(path.front()).height / 2}};
    for (std::size_t i = 1; i + 1 < path.size(); ++i) points.push_back(at[path[i]]);
    points.push_back({ends[p], at[path.back()].y - graph.size(path.back()).height / 2});
    result.edges.push_back(std::move(points));
  }
  at.resize(boxes.size());
  result.centres = std::move(at);
  return result;
}

}  // namespace notape::interchange
