// What the pictures of a report share: axes with round ticks, frames, stacked rows, and their CSS.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/model/intervals.h"

namespace notape::trace {

/// CSS beside interchange::kSvgRules: what each class of a mark looks like.
extern const char* const kChartRules;

constexpr double kChartWidth = 1100;
/// Labels of rows stand left of it.
constexpr double kChartLeft = 150;
constexpr double kChartRight = kChartWidth - 14;

/// From values to places, linear or logarithmic.
class Axis {
 public:
  Axis(double low, double high, double from, double to) : Axis(low, high, from, to, false) {}
  /// `low` must be above 0.
  static Axis logarithmic(double low, double high, double from, double to) {
    return Axis(low, high, from, to, true);
  }

  double at(double value) const;
  /// Round values from low to high, about `most` of them.
  std::vector<double> ticks(int most) const;
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  Axis(double low, double high, double from, double to, bool is_log);

  double low_, high_, from_, to_;
  bool is_log_;
};

/// A figure at an axis: "0.5"; a time: "0", "1.5 ms".
std::string number_label(double value);
std::string time_label(double ns);

/// An axis below a picture: labels, and grid lines up to `top`. A tick without words is left out.
std::string across_axis_svg(const Axis& axis, double top, double bottom,
                            const std::function<std::string(double)>& words, int most_ticks = 8);
/// The same of time in ns since the window's begin, in the unit of the last tick.
std::string time_axis_svg(const Axis& axis, double top, double bottom);
/// The same for values, at the left.
std::string value_axis_svg(const Axis& axis, const std::function<std::string(double)>& words);
/// The label of a row, left of it.
std::string row_label_svg(double middle, std::string_view text);

struct Part {
  const char* classes;
  const IntervalSet* time;
};
/// A row that shows, in each pixel's column, which share of that time each part has; parts do not
/// overlap. The size is bounded by the pixels, however many intervals there are. Short ones are at
/// least a pixel high.
std::string stacked_row_svg(const std::vector<Part>& parts, const Interval& window, double top,
                            double height, double left = kChartLeft, double right = kChartRight);

struct BarPart {
  const char* classes;
  double value;
  std::string words;  ///< what it is, for a pointer that rests on it
};

struct BarRow {
  std::string label = {};
  std::vector<BarPart> parts = {};  ///< beside each other
  std::string words = {};           ///< to the right of the last
  double from = 0;                  ///< where the first one begins
};
/// A bar for each row, above an axis.
std::string bar_chart_svg(std::string_view title, const std::vector<BarRow>& rows, const Axis& axis,
                          std::string (*words)(double));

/// An element that stands in a page.
std::string svg_element(double height, std::string_view title, const std::string& elements);

}  // namespace notape::trace
