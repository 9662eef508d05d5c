#include "trace/report/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace notape::trace {

PixelValues merged_to_pixels(const std::vector<Change>& changes, const Interval& window,
                             std::size_t columns, double before) {
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
