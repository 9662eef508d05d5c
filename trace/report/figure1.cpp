// Figure 1: operators on the host, what they launch on the device below, and how much longer the
// device takes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "autograd/error.h"
#include "autograd/interchange/markup.h"
#include "autograd/interchange/svg.h"
#include "trace/analysis/analyses.h"
#include "trace/model/name_pattern.h"
#include "trace/report/chart.h"
#include "trace/report/paper_figures.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

using interchange::svg_line;
using interchange::svg_text;

constexpr double kHostTop = 52, kBox = 40, kDeviceTop = 172, kFigure1Height = 262;
constexpr double kCutWidth = 74;
constexpr int kOpColours = 5;

/// A launch, what it put on the device, and the op that is drawn for it.
struct Pair {
  const ApiCall* call;
  const GpuOp* gpu_op;
  Place op;
};

bool launches_long_kernel(const TraceModel& model, const ApiCall& call, int64_t mean) {
  return std::any_of(model.launched_by(call).begin(), model.launched_by(call).end(),
                     [&](uint32_t place) {
                       const GpuOp& op = model.gpu_ops[place];
                       return op.kind == GpuOpKind::Kernel && op.time.length() >= mean;
                     });
}

Place outermost(const TraceModel& model, Place op) {
  while (op != kNowhere && model.ops[static_cast<std::size_t>(op)].parent != kNowhere)
    op = model.ops[static_cast<std::size_t>(op)].parent;
  return op;
}

/// The calls that launch something inside an op, by time, in the window; from the first op that is
/// wanted on.
std::vector<Pair> pairs_of(const Facts& facts, const Interval& window,
                           const Figure1Options& options) {
  const TraceModel& model = facts.model();
  const NamePattern from(options.from);
  int64_t total = 0, kernels = 0;
  const auto is_inside = [&](const ApiCall& call) {
    return call.is_linked() && call.op != kNowhere && window.contains(call.time.begin);
  };
  for (const ApiCall& call : model.calls)
    if (is_inside(call))
      for (const uint32_t place : model.launched_by(call))
        if (model.gpu_ops[place].kind == GpuOpKind::Kernel) {
          total += model.gpu_ops[place].time.length();
          ++kernels;
        }
  const int64_t mean = total / std::max<int64_t>(1, kernels);
  std::optional<int64_t> start;
  if (!options.from.empty()) {
    for (const HostOp& op : model.ops)
      if (window.contains(op.time.begin) && from.is_in(model.name(op.name))) {
        start = op.time.begin;
        break;
      }
    if (!start) throw ValueError("no op is named like '{}'", options.from);
  }
  std::vector<Pair> pairs;
  for (const ApiCall& call : model.calls) {
    if (!is_inside(call)) continue;
    const Place op = outermost(model, call.op);
    if (!start) {
      if (!launches_long_kernel(model, call, mean)) continue;
      start = model.ops[static_cast<std::size_t>(op)].time.begin;
    }
    if (call.time.begin < *start) continue;
    for (const uint32_t place : model.launched_by(call)) {
      if (std::ssize(pairs) >= options.ops) return pairs;
      if (model.gpu_ops[place].device == facts.device())
        pairs.push_back({&call, &model.gpu_ops[place], op});
    }
  }
  return pairs;
}

Interval window_of(const Facts& facts, const std::optional<int64_t>& wanted) {
  const TraceModel& model = facts.model();
  if (wanted) {
    for (const ModelStep& step : model.steps)
      if (step.number == *wanted) return step.time;
    throw ValueError("{} has no step {}", model.path, *wanted);
  }
  const ModelStep* best = nullptr;
  double most = 0;
  for (const ModelStep* step : facts.all_steps()) {
    const Report report = queue_ahead(facts.scope_of(*step));
    const Value& ratio = report["queue_ahead.corrected"].value;
    if (ratio.is_nothing() || ratio.number() <= most) continue;
    best = step;
    most = ratio.number();
  }
  if (best) return best->time;
  return {facts.window().begin, facts.window().end + 1};
}

/// Time to place, with the stretch between the host's part and the device's cut out if that is most
/// of the picture.
class CutAxis {
 public:
  CutAxis(const Interval& host, const Interval& device) : host_(host), device_(device) {
    const int64_t gap = device.begin - host.end;
    is_cut_ = gap > (host.length() + device.length()) / 2;
    const int64_t shown = is_cut_
                              ? host.length() + device.length()
                              : std::max(host.end, device.end) - std::min(host.begin, device.begin);
    begin_ = is_cut_ ? host.begin : std::min(host.begin, device.begin);
    scale_ = (kChartRight - kChartLeft - (is_cut_ ? kCutWidth : 0)) /
             static_cast<double>(std::max<int64_t>(1, shown));
  }

  bool is_cut() const { return is_cut_; }
  int64_t cut_ns() const { return device_.begin - host_.end; }
  double cut_begin() const { return x(host_.end); }
  double x(int64_t time) const {
    if (!is_cut_ || time <= host_.end)
      return kChartLeft + scale_ * static_cast<double>(time - begin_);
    return cut_begin() + kCutWidth + scale_ * static_cast<double>(time - device_.begin);
  }

 private:
  Interval host_, device_;
  bool is_cut_ = false;
  int64_t begin_ = 0;
  double scale_ = 1;
};

/// A box with a name in it, where there is room, and `full_name` for a pointer that rests on it.
std::string box(double left, double right, double top, const std::string& classes,
                std::string_view name, int64_t ns, std::string_view full_name) {
  const double width = std::max(1.0, right - left);
  std::string text = fmt::format(
      "<g><title>{}, {}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
      "rx=\"2\" class=\"{}\"/>",
      interchange::escaped(short_name(full_name, 200)), time_words(ns), left, top, width, kBox,
      classes);
  if (name.starts_with("aten::")) name.remove_prefix(6);
  constexpr double kLetter = 6.7;
  const auto letters = static_cast<std::size_t>(std::max(0.0, (width - 6) / kLetter));
  if (letters >= 5 || interchange::svg_width(name) <= width - 6)
    text += svg_text(left + width / 2, top + kBox / 2 + 4, "code middle inside",
                     short_name(name, letters));
  return text + "</g>";
}

/// "|---- words ----|" under a row.
std::string extent(double left, double right, double y, const std::string& words) {
  std::string text = svg_line(left, y, right, y, "axis") +
                     svg_line(left, y - 4, left, y + 4, "axis") +
                     svg_line(right, y - 4, right, y + 4, "axis");
  if (words.empty()) return text;
  const bool has_room = (left + right) / 2 + 4 * static_cast<double>(words.size()) < kChartRight &&
                        (left + right) / 2 - 4 * static_cast<double>(words.size()) > 0;
  return text + (has_room ? svg_text((left + right) / 2, y + 17, "middle label", words)
                          : svg_text(right, y + 17, "end label", words));
}

}  // namespace

PaperFigure figure1(const Facts& facts, const Figure1Options& options) {
  const TraceModel& model = facts.model();
  if (!facts.device()) return {};
  const std::vector<Pair> pairs = pairs_of(facts, window_of(facts, options.step), options);
  if (pairs.empty()) return {};
  const auto op_of = [&](const Pair& pair) -> const HostOp& {
    return model.ops[static_cast<std::size_t>(pair.op)];
  };
  Interval host{op_of(pairs.front()).time.begin, 0};
  Interval device = pairs.front().gpu_op->time;
  std::vector<Interval> device_times;
  for (const Pair& pair : pairs) {
    host.begin = std::min(host.begin, op_of(pair).time.begin);
    host.end = std::max(host.end, pair.call->time.end);
    device.begin = std::min(device.begin, pair.gpu_op->time.begin);
    device.end = std::max(device.end, pair.gpu_op->time.end);
    device_times.push_back(pair.gpu_op->time);
  }
  const int64_t work = IntervalSet(std::move(device_times)).length();
  const CutAxis axis(host, device);
  std::map<Place, std::string> colours;
  std::string boxes, lines;
  for (const Pair& pair : pairs) {
    const auto [place, is_new] = colours.try_emplace(
        pair.op, "paper" + std::to_string(colours.size() % static_cast<std::size_t>(kOpColours)));
    const Interval op = op_of(pair).time;
    // An op that goes on, with operations beyond the last one shown, ends at that one's launch.
    if (is_new)
      boxes += box(axis.x(op.begin), axis.x(std::min(op.end, host.end)), kHostTop, place->second,
                   model.name(op_of(pair).name), op.length(), model.name(op_of(pair).name));
    const double from = axis.x(pair.call->time.begin), to = axis.x(pair.gpu_op->time.begin);
    const double end = axis.x(pair.call->time.end);
    lines +=
        interchange::svg_rect(from, kHostTop + kBox - 5, std::max(1.0, end - from), 5, "launched");
    lines +=
        fmt::format("<path class=\"pair\" d=\"M{0:.1f} {1}C{0:.1f} {2} {3:.1f} {2} {3:.1f} {4}\"/>",
                    from, kHostTop + kBox, (kHostTop + kBox + kDeviceTop) / 2, to, kDeviceTop);
    boxes += box(to, axis.x(pair.gpu_op->time.end), kDeviceTop, place->second,
                 model.name(op_of(pair).name), pair.gpu_op->time.length(),
                 model.name(pair.gpu_op->name));
  }
  PaperFigure figure{.height = kFigure1Height, .title = {}, .elements = {}};
  const double rho =
      static_cast<double>(work) / static_cast<double>(std::max<int64_t>(1, host.length()));
  figure.title = "First operators: the " +
                 (rho >= 1 ? "device takes " + ratio_words(rho) + " times as long as the host"
                           : "host takes " + ratio_words(1 / rho) + " times as long as the device");
  if (axis.is_cut()) {
    const double middle = axis.cut_begin() + kCutWidth / 2;
    figure.elements += interchange::svg_rect(axis.cut_begin() + 12, kHostTop - 14, kCutWidth - 24,
                                             kDeviceTop + kBox - kHostTop + 28, "back");
    figure.elements +=
        svg_text(middle, kHostTop - 20, "middle", time_words(axis.cut_ns()) + " later");
  }
  figure.elements += row_label_svg(kHostTop + kBox / 2, "host") +
                     row_label_svg(kDeviceTop + kBox / 2, "device") + boxes + lines +
                     extent(axis.x(host.begin), axis.x(host.end), kHostTop - 14, "") +
                     extent(axis.x(device.begin), axis.x(device.end), kDeviceTop + kBox + 14,
                            "the device works for " + time_words(work) +
                                (time_words(work) == time_words(device.length())
                                     ? ""
                                     : " of these " + time_words(device.length()))) +
                     svg_text(axis.x(host.begin), kHostTop - 24, "label",
                              "the host queues for " + time_words(host.length()));
  return figure;
}

std::string figure1_svg(const TraceModel& model, const Figure1Options& options,
                        const Selection& selection) {
  const Facts facts(model, selection);
  return paper_figure_svg(figure1(facts, options), model);
}

}  // namespace notape::trace
