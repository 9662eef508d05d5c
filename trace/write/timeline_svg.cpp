#include "trace/write/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/error.h"
#include "autograd/interchange/markup.h"
#include "autograd/interchange/svg.h"
#include "trace/write/output_file.h"

namespace notape::trace {
namespace {

using interchange::svg_line;
using interchange::svg_text;

constexpr double kWidth = 1000, kMargin = 16, kTop = 60, kRow = 20, kBetweenThreads = 26;
constexpr double kWidestCut = 46;     // of a stretch that is cut; its length fits in
constexpr double kLongStretch = .05;  // of the busy time: from here on it is cut
constexpr double kVisible = .3;       // pixels

constexpr const char* kRules =
    R"(.operator { fill: var(--blue-soft); stroke: var(--blue); stroke-width: .6; }
.node { fill: var(--teal-soft); stroke: var(--teal); stroke-width: .6; }
.range { fill: var(--yellow-soft); stroke: var(--yellow); stroke-width: .6; }
svg text.in { fill: var(--ink); font-size: 10px; }
.axis { stroke: var(--quiet); }
.cut { fill: var(--page); }
.link { fill: none; stroke: var(--orange); stroke-width: .8; opacity: .7; }
)";

bool is_work(const Slice& slice) {
  return slice.kind == EventKind::Operator || slice.kind == EventKind::Node;
}

/// "1.2 ms", "35 us"
std::string duration_text(double ns) {
  const auto [unit, size] = ns >= 1e9   ? std::pair("s", 1e9)
                            : ns >= 1e6 ? std::pair("ms", 1e6)
                            : ns >= 1e3 ? std::pair("us", 1e3)
                                        : std::pair("ns", 1.0);
  const double value = ns / size;
  return fmt::format("{:.{}f} {}", value, value < 10 && size > 1 ? 1 : 0, unit);
}

struct Stretch {
  int64_t begin, end;
  int64_t length() const { return end - begin; }
};

/// When anything was at work, as stretches apart from each other.
std::vector<Stretch> busy_stretches(const Timeline& timeline) {
  std::vector<Stretch> all;
  for (const Slice& slice : timeline.slices)
    if (is_work(slice)) all.push_back({slice.begin_ns, slice.end_ns});
  std::sort(all.begin(), all.end(),
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Stretch> joined;
  for (const Stretch& one : all) {
    if (joined.empty() || one.begin > joined.back().end)
      joined.push_back(one);
    else
      joined.back().end = std::max(joined.back().end, one.end);
  }
  return joined;
}

/// From time to place: in proportion, except for long stretches in which nothing happened.
class TimeAxis {
 public:
  explicit TimeAxis(const Timeline& timeline) {
    const std::vector<Stretch> busy = busy_stretches(timeline);
    int64_t at_work = 0;
    for (const Stretch& one : busy) at_work += one.length();
    for (const Stretch& one : busy) {
      const bool is_near = !shown_.empty() && static_cast<double>(one.begin - shown_.back().end) <
                                                  kLongStretch * static_cast<double>(at_work);
      if (is_near)
        shown_.back().end = one.end;
      else
        shown_.push_back(one);
    }
    int64_t shown = 0;
    for (const Stretch& one : shown_) shown += one.length();
    constexpr double kRoom = kWidth - 2 * kMargin;
    const auto cuts = static_cast<double>(std::max<std::size_t>(shown_.size(), 1) - 1);
    cut_ = std::min(kWidestCut, kRoom / 3 / std::max(cuts, 1.0));  // the work has most of the room
    scale_ = (kRoom - cut_ * cuts) / static_cast<double>(std::max<int64_t>(shown, 1));
  }

  const std::vector<Stretch>& shown() const { return shown_; }
  double pixels_per_ns() const { return scale_; }
  double cut() const { return cut_; }
  double x(int64_t ns) const {
    double left = kMargin;
    for (const Stretch& one : shown_) {
      if (ns <= one.end)
        return left + scale_ * static_cast<double>(std::max<int64_t>(ns - one.begin, 0));
      left += scale_ * static_cast<double>(one.length()) + (&one == &shown_.back() ? 0 : cut_);
    }
    return left;
  }

 private:
  std::vector<Stretch> shown_;
  double scale_ = 1, cut_ = 0;
};

class TimelinePicture {
 public:
  explicit TimelinePicture(const Timeline& timeline)
      : timeline_(timeline), axis_(timeline), depth_(timeline.slices.size(), 0) {
    for (std::size_t i = 0; i < depth_.size(); ++i)
      if (timeline.slices[i].parent >= 0)
        depth_[i] = depth_[static_cast<std::size_t>(timeline.slices[i].parent)] + 1;
    for (std::size_t thread = 0; thread < timeline.threads.size(); ++thread) {
      tops_.push_back(bottom_ + kBetweenThreads);
      int rows = 0;
      for (std::size_t i = 0; i < depth_.size(); ++i)
        if (timeline.slices[i].thread == thread) rows = std::max(rows, depth_[i] + 1);
      lowest_ = bottom_ = tops_.back() + kRow * rows;
    }
  }

  std::string svg(const std::string& title) {
    std::string slices, links;
    for (std::size_t i = 0; i < depth_.size(); ++i) slices += slice(i);
    for (const BackwardLink& one : timeline_.links) links += link(one);
    std::string elements = svg_text(kMargin, 26, "title", title) + legend() + scale();
    for (std::size_t thread = 0; thread < tops_.size(); ++thread)
      elements += svg_text(kMargin, tops_[thread] - 7, "",
                           fmt::format("thread {} ({})", timeline_.threads[thread].tid,
                                       timeline_.threads[thread].name));
    elements += slices + links + cuts();
    if (left_out_ > 0)
      elements += svg_text(kWidth - kMargin, lowest_ + 18, "end",
                           fmt::format("slices too short to be seen: {}", left_out_));
    return interchange::svg_file({.width = kWidth,
                                  .height = lowest_ + 30,
                                  .title = title,
                                  .rules = kRules,
                                  .elements = elements});
  }

 private:
  double y(std::size_t i) const { return tops_[timeline_.slices[i].thread] + kRow * depth_[i]; }

  static const char* class_of(const Slice& slice) {
    return slice.kind == EventKind::Operator ? "operator"
           : slice.kind == EventKind::Node   ? "node"
                                             : "range";
  }

  std::string slice(std::size_t i) {
    const Slice& one = timeline_.slices[i];
    const double left = axis_.x(one.begin_ns), width = axis_.x(one.end_ns) - left;
    if (width < kVisible) {
      ++left_out_;
      return "";
    }
    const std::string name =
        one.kind == EventKind::Step ? fmt::format("step {}", one.step) : std::string(one.name);
    std::string text = fmt::format(
        "<g><title>{}, {}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
        "rx=\"2\" class=\"{}\"/>",
        interchange::escaped(name), duration_text(static_cast<double>(one.duration_ns())), left,
        y(i), width, kRow - 3, class_of(one));
    if (const std::string shown = fitted(name, width - 6); !shown.empty())
      text += svg_text(left + 3, y(i) + 12, "code in", shown);
    return text + "</g>";
  }

  /// As much of a name as there is room for; nothing if that would be no help.
  static std::string fitted(const std::string& name, double room) {
    if (interchange::svg_width(name) <= room) return name;
    constexpr std::size_t kLeast = 3;
    const auto letters = static_cast<std::size_t>(room / interchange::svg_width("m"));
    return room > 0 && letters > kLeast ? name.substr(0, letters - 1) + "…" : "";
  }

  std::string link(const BackwardLink& one) {
    const double from = (axis_.x(timeline_.slices[one.forward].begin_ns) +
                         axis_.x(timeline_.slices[one.forward].end_ns)) /
                        2;
    const double to = axis_.x(timeline_.slices[one.backward].begin_ns);
    const double above = y(one.forward) + kRow - 3, below = y(one.backward) + kRow - 3;
    const double lower = std::max(above, below), sag = lower + 16 + std::abs(to - from) / 12;
    lowest_ = std::max(lowest_, lower + 0.75 * (sag - lower));  // as far as the curve comes
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" class=\"link\"/>",
        from, above, from, sag, to, sag, to, below);
  }

  /// A bar of a round length that says how long a pixel takes.
  std::string scale() const {
    if (axis_.shown().empty()) return "";
    const double most = 160 / axis_.pixels_per_ns();
    double ns = std::pow(10, std::floor(std::log10(most)));
    ns *= most >= 5 * ns ? 5 : most >= 2 * ns ? 2 : 1;
    const double right = kWidth - kMargin, left = right - ns * axis_.pixels_per_ns();
    return svg_line(left, 26, right, 26, "axis") + svg_line(left, 22, left, 30, "axis") +
           svg_line(right, 22, right, 30, "axis") +
           svg_text((left + right) / 2, 18, "middle", duration_text(ns));
  }

  static std::string legend() {
    std::string text;
    double at = kMargin;
    for (const auto& [classes, label] :
         {std::pair("operator", "operator"), std::pair("node", "backward node"),
          std::pair("range", "range, step")}) {
      text +=
          fmt::format("<rect x=\"{}\" y=\"38\" width=\"14\" height=\"10\" rx=\"2\" class=\"{}\"/>",
                      at, classes);
      text += svg_text(at + 20, 47, "", label);
      at += 130;
    }
    return text + fmt::format("<path d=\"M{0} 43h14\" class=\"link\"/>", at) +
           svg_text(at + 20, 47, "", "from an operator to the node that it recorded");
  }

  std::string cuts() const {
    std::string text;
    const std::vector<Stretch>& shown = axis_.shown();
    for (std::size_t i = 0; i + 1 < shown.size(); ++i) {
      const double left = axis_.x(shown[i].end), width = axis_.cut();
      text +=
          interchange::svg_rect(left + width / 15, kTop, width * 13 / 15, bottom_ - kTop, "cut");
      if (width == kWidestCut)
        text += svg_text(left + width / 2, kTop + 14, "middle in",
                         duration_text(static_cast<double>(shown[i + 1].begin - shown[i].end)));
    }
    return text;
  }

  const Timeline& timeline_;
  const TimeAxis axis_;
  std::vector<int> depth_;
  std::vector<double> tops_;              // per thread
  double bottom_ = kTop, lowest_ = kTop;  // of the slices, of everything
  std::size_t left_out_ = 0;
};

}  // namespace

std::string timeline_svg(const Timeline& timeline, const std::string& title) {
  return TimelinePicture(timeline).svg(title);
}

void write_timeline_svg(const Timeline& timeline, const std::string& title,
                        const std::string& path) {
  if (!path.ends_with(".svg")) throw ValueError("{}: the name of a picture ends in .svg", path);
  OutputFile file(path);
  file.write(timeline_svg(timeline, title));
  file.commit();
}

}  // namespace notape::trace
