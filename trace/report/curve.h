// A figure over time that jumps: queue depth, memory. Merged to pixels.
#pragma once
#include <string>
#include <vector>

#include "trace/report/chart.h"

namespace notape::trace {

/// The value from this time to the next change.
struct Change {
  int64_t time = 0;
  double value = 0;
};

/// Of a pixel's column: the highest value in it, and the mean over its time.
struct PixelValues {
  std::vector<double> highest, mean;
};

/// Changes are ordered by time; before the first the value is `before`.
PixelValues merged_to_pixels(const std::vector<Change>& changes, const Interval& window,
                             double before = 0,
                             std::size_t columns = static_cast<std::size_t>(kChartRight -
                                                                            kChartLeft));

constexpr double kCurveTop = 14, kCurveBottom = 190;

/// A value that curves reach; empty words: no limit.
struct Limit {
  double value = 0;
  std::string words = {};
};

/// The highest values as an area, the means as a line, over an axis below (to kCurveBottom), with
/// a second line.
std::string curve_chart_svg(std::string_view title, const PixelValues& pixels,
                            const std::function<std::string(double)>& words,
                            const std::string& axis, const Limit& limit = {},
                            const std::vector<double>& second = {});

/// A distribution: the share of samples up to a value, as a line. Samples may be in any order.
std::string distribution_svg(std::vector<int64_t> samples, const Axis& horizontal,
                             const Axis& vertical, const char* classes);

}  // namespace notape::trace
