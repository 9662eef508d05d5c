#include "trace/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/interchange/markup.h"
#include "autograd/interchange/svg.h"
#include "trace/report/words.h"

namespace notape::trace {

using interchange::svg_line;
using interchange::svg_text;

const char* const kChartRules = R"(
svg .kernel { fill: var(--green); }
svg .copy { fill: var(--teal); }
svg .op { fill: var(--blue); opacity: .42; }
svg .call { fill: var(--blue); }
svg .allocator { fill: var(--red); }
svg .sync { fill: var(--yellow); }
svg .blocked { fill: var(--quiet); opacity: .75; }
svg .setup { fill: var(--orange); }
svg .loading { fill: var(--teal); opacity: .6; }
svg .outside { fill: var(--quiet); opacity: .38; }
svg .latency { fill: var(--orange); opacity: .5; }
svg .between { fill: var(--green); opacity: .4; }
svg .dependency { fill: var(--yellow); opacity: .5; }
svg .unlinked { fill: var(--ink); opacity: .7; }
svg .back { fill: var(--line); opacity: .45; }
svg line.grid { stroke: var(--line); }
svg line.axis { stroke: var(--quiet); }
svg line.limit { stroke: var(--red); stroke-dasharray: 5 4; }
svg line.one { stroke: var(--ink); stroke-dasharray: 3 3; }
svg line.mark { stroke: var(--quiet); stroke-dasharray: 2 3; }
svg text.label { fill: var(--ink); }
svg text.limit { fill: var(--red); }
svg .area { fill: var(--blue); opacity: .22; }
svg .curve { fill: none; stroke: var(--blue); stroke-width: 1.6; }
svg .curve.second { stroke: var(--orange); }
svg .curve.third { stroke: var(--teal); }
)";

Axis::Axis(double low, double high, double from, double to, bool is_log)
    : low_(low), high_(high > low ? high : low + 1), from_(from), to_(to), is_log_(is_log) {}

double Axis::at(double value) const {
  const double inside = std::clamp(value, low_, high_);
  const double share =
      is_log_ ? std::log(inside / low_) / std::log(high_ / low_) : (inside - low_) / (high_ - low_);
  return from_ + share * (to_ - from_);
}

std::vector<double> Axis::ticks(int most) const {
  std::vector<double> ticks;
  if (is_log_) {
    const double decades = std::log10(high_ / low_);
    const bool has_room = 3 * decades <= most;  // for 2 and 5 as well
    const double factor = std::pow(10, std::max(1.0, std::ceil(decades / most)));
    for (double power = std::pow(10, std::floor(std::log10(low_))); power <= high_; power *= factor)
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double tick = digit * power;
        if ((digit == 1 || has_room) && low_ <= tick && tick <= high_) ticks.push_back(tick);
      }
    return ticks;
  }
  const double rough = (high_ - low_) / most, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = (rough <= power       ? 1
                       : rough <= 2 * power ? 2
                       : rough <= 5 * power ? 5
                                            : 10) *
                      power;
  for (double i = std::ceil(low_ / step - 1e-9); i * step <= high_ + step * 1e-9; ++i)
    ticks.push_back(i * step + 0.0);  // never -0
  return ticks;
}

std::string number_label(double value) { return fmt::format("{:g}", value); }

std::string time_label(double ns) { return time_words(static_cast<int64_t>(ns)); }

std::string across_axis_svg(const Axis& axis, double top, double bottom,
                            const std::function<std::string(double)>& words, int most_ticks) {
  std::string text;
  for (const double tick : axis.ticks(most_ticks))
    if (const std::string label = words(tick); !label.empty()) {
      const double x = axis.at(tick);
      text += svg_line(x, top, x, bottom + 4, "grid") + svg_text(x, bottom + 17, "middle", label);
    }
  return text;
}

std::string time_axis_svg(const Axis& axis, double top, double bottom) {
  const std::vector<double> ticks = axis.ticks(8);
  const double largest = ticks.empty() ? 0 : ticks.back();
  const auto [unit, size] = largest >= 1e9   ? std::pair("s", 1e9)
                            : largest >= 1e6 ? std::pair("ms", 1e6)
                            : largest >= 1e3 ? std::pair("us", 1e3)
                                             : std::pair("ns", 1.0);
  return across_axis_svg(axis, top, bottom, [unit = unit, size = size](double tick) {
    return fmt::format("{:g} {}", std::round(tick / size * 1e6) / 1e6, unit);
  });
}

std::string value_axis_svg(const Axis& axis, const std::function<std::string(double)>& words) {
  std::string text;
  for (const double tick : axis.ticks(4))
    text += svg_line(kChartLeft, axis.at(tick), kChartRight, axis.at(tick), "grid") +
            svg_text(kChartLeft - 7, axis.at(tick) + 4, "end", words(tick));
  return text;
}

std::string row_label_svg(double middle, std::string_view text) {
  return svg_text(kChartLeft - 10, middle + 4, "end label", short_name(text, 21));
}

std::string stacked_row_svg(const std::vector<Part>& parts, const Interval& window, double top,
                            double height, double left, double right) {
  const auto columns = static_cast<std::size_t>(std::max(1.0, right - left));
  const double ns =
      static_cast<double>(std::max<int64_t>(1, window.length())) / static_cast<double>(columns);
  std::vector<double> filled(columns, 0);  // from below, in pixels
  std::string text = interchange::svg_rect(left, top, right - left, height, "back");
  for (const Part& part : parts) {
    std::vector<double> shares(columns, 0);
    const IntervalSet inside = part.time->within(window);
    for (const Interval& one : inside.parts()) {
      const double begin = static_cast<double>(one.begin - window.begin) / ns;
      const double end = static_cast<double>(one.end - window.begin) / ns;
      const auto last = std::min(columns - 1, static_cast<std::size_t>(end));
      for (auto i = std::min(columns - 1, static_cast<std::size_t>(begin)); i <= last; ++i)
        shares[i] += std::max(0.0, std::min(end, static_cast<double>(i + 1)) -
                                       std::max(begin, static_cast<double>(i)));
    }
    // Columns that look alike become one shape. Heights are multiples of half a pixel.
    std::string path;
    for (std::size_t i = 0; i < columns;) {
      const auto high = [&](std::size_t at) {
        if (shares[at] < 1e-9) return 0.0;
        const double rounded = std::round(2 * height * std::min(1.0, shares[at])) / 2;
        return std::min(std::max(1.0, rounded), std::max(0.0, height - filled[at]));
      };
      const double here = high(i), base = filled[i];
      std::size_t next = i + 1;
      while (next < columns && high(next) == here && filled[next] == base) ++next;
      if (here > 0)
        path += fmt::format("M{:g} {:g}h{}v{:g}h-{}z", left + static_cast<double>(i),
                            top + height - base, next - i, -here, next - i);
      for (std::size_t j = i; j < next; ++j) filled[j] += here;
      i = next;
    }
    if (!path.empty()) text += fmt::format("<path class=\"{}\" d=\"{}\"/>", part.classes, path);
  }
  return text;
}

std::string bar_chart_svg(std::string_view title, const std::vector<BarRow>& rows, const Axis& axis,
                          std::string (*words)(double)) {
  constexpr double kTop = 8, kBar = 18, kRow = 27;
  const double bottom = kTop + kRow * static_cast<double>(rows.size());
  std::string text = across_axis_svg(axis, 2, bottom, words);
  double top = kTop;
  for (const BarRow& row : rows) {
    text += row_label_svg(top + kBar / 2, row.label);
    double sum = row.from, end = axis.at(sum);
    for (const BarPart& part : row.parts) {
      const double from = axis.at(sum), to = axis.at(sum += part.value);
      end = std::max(end, to);
      if (std::abs(to - from) >= 0.05)
        text += fmt::format("<g><title>{}</title>{}</g>", interchange::escaped(part.words),
                            interchange::svg_rect(std::min(from, to), top, std::abs(to - from),
                                                  kBar, part.classes));
    }
    text += svg_text(end + 7, top + 13, "", row.words);
    top += kRow;
  }
  return svg_element(bottom + 24, title, text);
}

std::string svg_element(double height, std::string_view title, const std::string& elements) {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">{}</svg>",
                     kChartWidth, height, interchange::escaped(title), elements);
}

}  // namespace notape::trace
