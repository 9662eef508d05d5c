// Host above, device below, over the same time.
#include <fmt/format.h>

#include "autograd/interchange/svg.h"
#include "trace/report/chart.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr double kTimelineRow = 34, kTimelineGap = 12, kTimelineTop = 24;

/// Where the window's steps begin, with as many of their names as there is room for.
std::string step_marks(const Facts& facts, const Axis& axis, const Interval& window,
                       double bottom) {
  std::string text;
  double free_from = 0, last_line = -100;
  for (const ModelStep& step : facts.model().steps) {
    if (!window.contains(step.time.begin)) continue;
    const double x = axis.at(static_cast<double>(step.time.begin - window.begin));
    if (x - last_line < 3) continue;
    last_line = x;
    text += interchange::svg_line(x, kTimelineTop - 8, x, bottom, "mark");
    const std::string name = short_name(step.name, 22);
    const double width = 7.2 * static_cast<double>(name.size());
    if (x < free_from || x + width > kChartWidth) continue;
    text += interchange::svg_text(x + 3, kTimelineTop - 10, "", name);
    free_from = x + width + 10;
  }
  return text;
}

}  // namespace

Figure timeline_figure(const Facts& facts, const Interval& window, std::string id,
                       std::string title) {
  Figure figure{.id = std::move(id), .title = std::move(title), .definition = "def-timeline"};
  const Axis axis(0, static_cast<double>(window.length()), kChartLeft, kChartRight);
  std::string rows;
  double top = kTimelineTop;
  const auto add_row = [&](const std::string& label, const std::vector<Part>& parts) {
    rows += row_label_svg(top + kTimelineRow / 2, label) +
            stacked_row_svg(parts, window, top, kTimelineRow);
    top += kTimelineRow + kTimelineGap;
  };
  for (const HostRow& row : facts.host_rows()) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < kHostStates; ++i) {
      const auto state = static_cast<HostState>(i);
      if (row.states[i].length_within(window) == 0) continue;
      parts.push_back({state_class(state), &row.states[i]});
      figure.explain(state_class(state), state_label(state));
    }
    add_row(facts.thread_label(row.thread), parts);
  }
  if (facts.device()) {
    std::vector<Part> parts;
    if (facts.kernel_time().length_within(window) > 0) {
      parts.push_back({"kernel", &facts.kernel_time()});
      figure.explain("kernel", "kernel");
    }
    if (facts.copy_time().length_within(window) > 0) {
      parts.push_back({"copy", &facts.copy_time()});
      figure.explain("copy", "copy or fill");
    }
    add_row(fmt::format("device {}", *facts.device()), parts);
  }
  const double bottom = top - kTimelineGap;
  figure.svg = svg_element(bottom + 26, figure.title,
                           time_axis_svg(axis, kTimelineTop - 4, bottom) + rows +
                               step_marks(facts, axis, window, bottom));
  return figure;
}

}  // namespace notape::trace
