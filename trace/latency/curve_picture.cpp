#include "trace/latency/curve_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/interchange/markup.h"
#include "autograd/interchange/svg.h"
#include "trace/report/chart.h"

namespace notape::trace {
namespace {

using interchange::svg_line;
using interchange::svg_text;

constexpr double kHeight = 430, kTop = 84, kBottom = kHeight - 44, kGap = 64, kSide = 58,
                 kRight = 30;
constexpr const char* kRules = R"(
svg line.grid { stroke: var(--line); }
svg text.label { fill: var(--ink); }
svg .latency { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .dot { stroke: none; }
svg .crossing { fill: var(--card); stroke-width: 2; }
)";
constexpr const char* kColours[] = {"blue", "orange", "teal", "red", "green"};

/// Of lines, dots, circles and words in each colour.
std::string colour_rules() {
  std::string rules = kRules;
  for (std::size_t i = 0; i < std::size(kColours); ++i)
    rules += fmt::format(
        "svg path.c{0}, svg .crossing.c{0} {{ stroke: var(--{1}); }}\n"
        "svg .dot.c{0}, svg text.c{0} {{ fill: var(--{1}); }}\n",
        i, kColours[i]);
  return rules;
}

struct Line {
  const LatencyCurve* curve;
  std::string name;
  std::size_t colour;
};

struct Panel {
  std::string title;
  std::vector<Line> lines{};
};

std::string circle(double x, double y, double radius, const std::string& classes,
                   const std::string& words) {
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" class=\"{}\"><title>{}</title></circle>", x,
      y, radius, classes, interchange::escaped(words));
}

std::string line_svg(const Line& line, const Axis& across, const Axis& up) {
  const std::vector<CurvePoint> points = line.curve->points();
  const std::string colour = fmt::format("c{}", line.colour % std::size(kColours));
  std::string path, dots;
  for (const CurvePoint& point : points) {
    const double x = across.at(static_cast<double>(point.size)), y = up.at(point.ns);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    dots += circle(x, y, 2.5, "dot " + colour,
                   fmt::format("{}: {} floats, {:.1f} ns", line.name, point.size, point.ns));
  }
  std::string text = fmt::format("<path class=\"latency {}\" d=\"{}\"/>", colour, path) + dots;
  const Crossover found = crossover(points);
  if (found.size)
    text += circle(across.at(*found.size), up.at(2 * found.dispatch_ns), 5, "crossing " + colour,
                   line.name + ": " + found.words);
  return text;
}

std::string panel_svg(const Panel& panel, double left, double right, const Axis& up) {
  const double last = static_cast<double>(kCurveSizes[std::size(kCurveSizes) - 1]);
  const Axis across = Axis::logarithmic(1, last, left, right);
  std::string text = svg_text(left, kTop - 14, "title", panel.title);
  for (std::size_t i = 0; i < std::size(kCurveSizes); i += 2) {
    const double x = across.at(static_cast<double>(kCurveSizes[i]));
    text += svg_line(x, kTop, x, kBottom, "grid");
    text += svg_text(x, kBottom + 17, "middle", std::to_string(kCurveSizes[i]));
  }
  for (const double tick : up.ticks(5)) {
    text += svg_line(left, up.at(tick), right, up.at(tick), "grid");
    text += svg_text(left - 7, up.at(tick) + 4, "end", time_label(tick));
  }
  for (const Line& line : panel.lines) text += line_svg(line, across, up);
  return text + svg_text((left + right) / 2, kBottom + 34, "middle", "floats");
}

/// What each colour is, beside each other.
std::string legend_svg(const std::vector<Line>& lines) {
  std::string text;
  double x = kSide;
  for (const Line& line : lines) {
    const std::string colour = fmt::format("c{}", line.colour % std::size(kColours));
    text += fmt::format("<path class=\"latency {}\" d=\"M{:.1f} 41h18\"/>", colour, x);
    text += svg_text(x + 24, 45, colour, line.name);
    x += 48 + interchange::svg_width(line.name);
  }
  return text;
}

std::vector<Panel> panels_of(const LatencyReport& report) {
  const bool has_others = report.curves.size() > std::size(kWorkClasses);
  std::vector<Panel> panels;
  if (!has_others) panels.push_back({"time per operation"});
  for (std::size_t i = 0; i < std::size(kWorkClasses); ++i) {
    if (has_others) panels.push_back({report.rows[i].name});
    for (std::size_t at = i; at < report.curves.size(); at += std::size(kWorkClasses)) {
      const LatencyCurve& curve = report.curves[at];
      if (curve.points().empty()) continue;
      panels.back().lines.push_back({&curve, has_others ? curve.name : report.rows[i].name,
                                     has_others ? at / std::size(kWorkClasses) : i});
    }
  }
  return panels;
}

}  // namespace

std::string latency_curve_svg(const LatencyReport& report) {
  const std::vector<Panel> panels = panels_of(report);
  double least = 1e9, most = 1;
  for (const LatencyCurve& curve : report.curves)
    for (const CurvePoint& point : curve.points()) {
      least = std::min(least, point.ns);
      most = std::max(most, point.ns);
    }
  const Axis up = Axis::logarithmic(std::min(least, most) / 1.3, most * 1.3, kBottom, kTop);
  interchange::SvgPicture picture;
  picture.width = kChartWidth;
  picture.height = kHeight;
  picture.title = fmt::format("notape latency: {} over sizes", report.operation);
  picture.rules = colour_rules();
  picture.elements =
      svg_text(
          kSide, 22, "title",
          fmt::format("{}: dispatch and work, one thread ({})", report.operation, report.cpu)) +
      svg_text(kChartWidth - kRight, 22, "end",
               "circle: work begins to outweigh dispatch (twice the time of 1 float)");
  picture.elements += legend_svg(panels.front().lines);
  const double width = (kChartWidth - kRight - kSide + kGap) / static_cast<double>(panels.size());
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double left = kSide + static_cast<double>(i) * width;
    picture.elements += panel_svg(panels[i], left, left + width - kGap, up);
  }
  return interchange::svg_file(picture);
}

}  // namespace notape::trace
