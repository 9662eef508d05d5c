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
                             std::size_t columns, double before = 0);

/// A line through the columns' values from kChartLeft on; with `is_area` filled down to the axis.
std::string curve_svg(const std::vector<double>& values, const Axis& vertical, const char* classes,
                      bool is_area);

/// A distribution: the share of samples up to a value, as a line. Samples may be in any order.
std::string distribution_svg(std::vector<int64_t> samples, const Axis& horizontal,
                             const Axis& vertical, const char* classes);

}  // namespace notape::trace
