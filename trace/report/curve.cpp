#include "trace/report/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/interchange/svg.h"

namespace notape::trace {

using interchange::svg_line;
using interchange::svg_text;

PixelValues merged_to_pixels(const std::vector<Change>& changes, const Interval& window,
                             double before, std::size_t columns) {
  PixelValues pixels{std::vector<double>(columns, 0), std::vector<double>(columns, 0)};
  const double ns =
      static_cast<double>(std::max<int64_t>(1, window.length())) / static_cast<double>(columns);
  const auto add = [&](int64_t from, int64_t to, double value) {
    const double begin = static_cast<double>(std::max(from, window.begin) - window.begin) / ns;
    const double end = static_cast<double>(std::min(to, window.end) - window.begin) / ns;
    if (end < begin || begin > static_cast<double>(columns) || end < 0) return;
    const auto first = std::min(columns - 1, static_cast<std::size_t>(begin));
    // A time that ends where a column begins is not in it.
    const auto behind = std::max(first + 1, static_cast<std::size_t>(std::ceil(end)));
    for (std::size_t i = first; i < std::min(columns, behind); ++i) {
      pixels.highest[i] = std::max(pixels.highest[i], value);
      const double inside =
          std::min(end, static_cast<double>(i + 1)) - std::max(begin, static_cast<double>(i));
      pixels.mean[i] += value * std::max(0.0, inside);
    }
  };
  int64_t since = window.begin;
  double value = before;
  for (const Change& change : changes) {
    if (change.time > since) add(since, change.time, value);
    since = std::max(since, change.time);
    value = change.value;
  }
  if (since < window.end) add(since, window.end, value);
  return pixels;
}

namespace {

/// A line through the columns' values from kChartLeft on; with `is_area` filled down to the axis.
std::string curve_svg(const std::vector<double>& values, const Axis& vertical, const char* classes,
                      bool is_area) {
  std::string path;
  double last = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = std::round(2 * vertical.at(values[i])) / 2;
    if (y == last && i > 0) continue;
    const double x = kChartLeft + static_cast<double>(i);
    if (path.empty())
      path = is_area ? fmt::format("M{:g} {:g}V{:g}", x, vertical.at(vertical.low()), y)
                     : fmt::format("M{:g} {:g}", x, y);
    else
      path += fmt::format("H{:g}V{:g}", x, y);
    last = y;
  }
  if (path.empty()) return "";
  path += fmt::format("H{:g}", kChartLeft + static_cast<double>(values.size()));
  if (is_area) path += fmt::format("V{:g}Z", vertical.at(vertical.low()));
  return fmt::format("<path class=\"{}\" d=\"{}\"/>", classes, path);
}

}  // namespace

std::string curve_chart_svg(std::string_view title, const PixelValues& pixels,
                            const std::function<std::string(double)>& words,
                            const std::string& axis, const Limit& limit,
                            const std::vector<double>& second) {
  double most = limit.words.empty() ? 0 : limit.value;
  for (const std::vector<double>* values : {&pixels.highest, &second})
    for (const double value : *values) most = std::max(most, value);
  const Axis vertical(0, most * 1.1, kCurveBottom, kCurveTop);
  std::string text = axis + value_axis_svg(vertical, words) +
                     curve_svg(pixels.highest, vertical, "area", true) +
                     curve_svg(pixels.mean, vertical, "curve", false) +
                     curve_svg(second, vertical, "curve second", false);
  if (!limit.words.empty()) {
    const double y = vertical.at(limit.value);
    text += svg_line(kChartLeft, y, kChartRight, y, "limit") +
            svg_text(kChartRight - 4, y - 5, "end limit", limit.words);
  }
  return svg_element(kCurveBottom + 24, title, text);
}

std::string distribution_svg(std::vector<int64_t> samples, const Axis& horizontal,
                             const Axis& vertical, const char* classes) {
  if (samples.empty()) return "";
  std::sort(samples.begin(), samples.end());
  const double n = static_cast<double>(samples.size());
  std::string path;
  double last_x = -10, last_y = -10;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i + 1 < samples.size() && samples[i + 1] == samples[i]) continue;
    const double x = horizontal.at(static_cast<double>(samples[i]));
    const double y = vertical.at(static_cast<double>(i + 1) / n);
    const bool is_end = i + 1 == samples.size();
    if (path.empty()) path = fmt::format("M{:.1f} {:.1f}", x, vertical.at(0));
    if (!is_end && x - last_x < 1 && last_y - y < 1 && last_y > 0) continue;
    path += fmt::format("H{:.1f}V{:.1f}", x, y);
    last_x = x;
    last_y = y;
  }
  return fmt::format("<path class=\"{}\" d=\"{}\"/>", classes, path);
}

}  // namespace notape::trace
