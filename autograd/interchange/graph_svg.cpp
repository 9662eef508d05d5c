// The recorded graph as a picture: a box per node, the newest on top, as backward() comes to them.
#include <fmt/format.h>

#include <algorithm>

#include "autograd/error.h"
#include "autograd/interchange/exported_graph.h"
#include "autograd/interchange/graph_export.h"
#include "autograd/interchange/layered_layout.h"
#include "autograd/interchange/markup.h"
#include "autograd/interchange/svg.h"

namespace notape::autograd {
namespace {

using interchange::BoxEdge;
using interchange::BoxSize;
using interchange::LayeredLayout;
using interchange::Point;

constexpr std::size_t kMostNodes = 300;
constexpr double kMargin = 16, kPadding = 9, kLine = 15, kCorner = 5;

constexpr const char* kRules = R"(.box { fill: var(--card); stroke: var(--quiet); }
.leaf { fill: var(--blue-soft); stroke: var(--blue); }
.root { fill: var(--page); stroke: var(--quiet); stroke-dasharray: 4 3; }
.refused { fill: var(--red-soft); stroke: var(--red); }
svg text.name { fill: var(--ink); font-weight: 600; }
svg text.saved { fill: var(--teal); }
svg text.overwritten { fill: var(--red); font-weight: 600; }
.edge { fill: none; stroke: var(--quiet); stroke-width: 1.3; }
.head { fill: var(--quiet); }
)";

struct TextLine {
  std::string classes, text;
};
struct Box {
  std::string classes;
  std::vector<TextLine> lines;
};

BoxSize size_of(const Box& box) {
  double widest = 0;
  for (const TextLine& line : box.lines)
    widest = std::max(widest, interchange::svg_width(line.text));
  return {widest + 2 * kPadding, kLine * static_cast<double>(box.lines.size()) + kPadding};
}

std::string text_of(const ExportedGraph::Saved& saved) {
  std::string text =
      fmt::format("saved {}: {} {}", saved.slot, name_of(saved.dtype), to_string(saved.sizes));
  if (!saved.versions) return text;
  text += fmt::format(", version {}", saved.versions->saved);
  if (saved.versions->saved != saved.versions->current)
    text += fmt::format(", now {}", saved.versions->current);
  return text;
}

Box box_of(const NodeRef& node) {
  Box box{"box", {}};
  if (const AccumulateGrad* leaf = leaf_of(node)) {
    box.classes = "leaf";
    box.lines.push_back({"name", leaf->leaf().defined() ? "leaf" : "leaf, gone"});
  } else {
    box.lines.push_back({"name", fmt::format("{} #{}", node->name(), node->sequence_nr())});
    box.lines.push_back({"", node->operator_name() + at_place(node->at())});
  }
  for (std::size_t i = 0; i < node->num_inputs(); ++i)
    box.lines.push_back({"", describe(node->input_metadata(i))});
  for (const ExportedGraph::Saved& saved : saved_by(node)) {
    box.lines.push_back({saved.is_overwritten ? "overwritten" : "saved", text_of(saved)});
    if (saved.is_overwritten) box.classes = "refused";
  }
  return box;
}

/// Roots first, then the nodes.
class GraphPicture {
 public:
  explicit GraphPicture(const ExportedGraph& graph) : roots_(graph.roots().size()) {
    for (std::size_t i = 0; i < roots_; ++i) {
      const ExportedGraph::Root& root = graph.roots()[i];
      boxes_.push_back({"root", {{"name", fmt::format("root {}", i)}, {"", describe(root.meta)}}});
      if (root.node) connect(i, *root.node, root.output_nr);
    }
    for (const NodeRef& node : graph.nodes()) {
      const std::size_t from = boxes_.size();
      boxes_.push_back(box_of(node));
      for (const Edge& edge : node->next_edges())
        if (edge) connect(from, graph.number(edge.function.get()), edge.input_nr);
    }
  }

  std::string svg() const {
    std::vector<BoxSize> sizes;
    for (const Box& box : boxes_) sizes.push_back(size_of(box));
    const LayeredLayout layout = interchange::layered_layout(sizes, edges_);
    std::string elements = fmt::format(
        "<marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
        "markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" class=\"head\"/></marker>"
        "<g transform=\"translate({0} {0})\">",
        kMargin);
    for (std::size_t i = 0; i < edges_.size(); ++i) elements += edge(layout.edges[i], outputs_[i]);
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      elements += box(boxes_[i], sizes[i], layout.centres[i]);
    return interchange::svg_file({.width = layout.width + 2 * kMargin,
                                  .height = layout.height + 2 * kMargin,
                                  .title = "the graph that backward() walks, from its roots down",
                                  .rules = kRules,
                                  .elements = elements + "</g>"});
  }

 private:
  void connect(std::size_t from, std::size_t node, uint32_t output_nr) {
    edges_.push_back({from, roots_ + node});
    outputs_.push_back(output_nr);
  }

  static std::string edge(const std::vector<Point>& points, uint32_t output_nr) {
    std::string path = fmt::format("M{:.1f} {:.1f}", points[0].x, points[0].y);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double half = (points[i].y - points[i - 1].y) / 2;
      path += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", points[i - 1].x,
                          points[i - 1].y + half, points[i].x, points[i].y - half, points[i].x,
                          points[i].y);
    }
    std::string text =
        fmt::format("<path d=\"{}\" class=\"edge\" marker-end=\"url(#head)\"/>", path);
    if (output_nr != 0)
      text += interchange::svg_text(points.back().x + 6, points.back().y - 10, "code",
                                    fmt::format("output {}", output_nr));
    return text;
  }

  static std::string box(const Box& box, BoxSize size, Point centre) {
    const double left = centre.x - size.width / 2, top = centre.y - size.height / 2;
    std::string text = fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" "
        "class=\"{}\"/>",
        left, top, size.width, size.height, kCorner, box.classes);
    double line = top + kPadding / 2;
    for (const TextLine& one : box.lines) {
      line += kLine;
      text += interchange::svg_text(left + kPadding, line - 4, "code " + one.classes, one.text);
    }
    return text;
  }

  std::size_t roots_;
  std::vector<Box> boxes_;
  std::vector<BoxEdge> edges_;
  std::vector<uint32_t> outputs_;
};

}  // namespace

std::string to_svg(const TensorList& roots) {
  const ExportedGraph graph(roots);
  if (graph.nodes().size() > kMostNodes)
    throw ValueError("a picture of {} nodes is not readable, the most is {}; to_dot() has no limit",
                     graph.nodes().size(), kMostNodes);
  return GraphPicture(graph).svg();
}

}  // namespace notape::autograd
