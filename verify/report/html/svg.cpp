#include "verify/report/html/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "autograd/interchange/svg.h"
#include "verify/numeric/tolerance.h"
#include "verify/report/html/parts.h"

namespace notape::verify {
namespace {

using interchange::svg_line;
using interchange::svg_rect;
using interchange::svg_text;

/// "10" with a raised exponent.
std::string power_of_ten(double x, double y, int exponent, const char* classes) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">10<tspan dy=\"-4\" class=\"raised\">{}</tspan>"
      "</text>",
      x, y, classes, exponent);
}

/// The plot of one ladder.
class LadderPlot {
 public:
  explicit LadderPlot(const LadderView& view) : view_(view) {}

  std::string elements(const std::string& under_test) const {
    std::string text;
    if (view_.radius)
      text +=
          svg_rect(kLeft, y(*view_.radius), kRight - kLeft, kBottom - y(*view_.radius), "accepted");
    text += axes();
    text += curve(view_.estimate, "estimate") + curve(view_.quotient, "quotient") +
            curve(view_.extrapolated, "extrapolated");
    if (view_.radius) {
      text += svg_line(kLeft, y(*view_.radius), kRight, y(*view_.radius), "radius");
      text += svg_text(kRight - 6, y(*view_.radius) + 13, "end good",
                       fmt::format("may be off by {:.1e}", std::pow(10, *view_.radius)));
    }
    return text + distance(under_test) + legend();
  }

  static constexpr double kWidth = 620, kHeight = 330;

 private:
  static constexpr double kLeft = 54, kRight = 606, kTop = 34, kBottom = 288;

  double x(std::size_t i) const {
    const auto last = static_cast<double>(std::max<std::size_t>(view_.levels.size() - 1, 1));
    return kLeft + 8 + (kRight - kLeft - 16) * static_cast<double>(i) / last;
  }
  double y(double log_size) const {
    return kTop + (kBottom - kTop) * (view_.high - log_size) / (view_.high - view_.low);
  }

  std::string axes() const {
    std::string text;
    const double decades = view_.high - view_.low;
    const int every = decades > 24 ? 5 : decades > 10 ? 3 : decades > 5 ? 2 : 1;
    for (int level = static_cast<int>(view_.low); level <= static_cast<int>(view_.high); ++level) {
      if (level % every != 0) continue;
      text += svg_line(kLeft, y(level), kRight, y(level), "grid");
      text += power_of_ten(kLeft - 8, y(level) + 4, level, "end");
    }
    const std::size_t step = view_.levels.size() > 20 ? 6 : view_.levels.size() > 8 ? 3 : 1;
    for (std::size_t i = 0; i < view_.levels.size(); i += step) {
      text += svg_line(x(i), kBottom, x(i), kBottom + 4, "axis");
      text += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"middle\">2<tspan dy=\"-4\" "
          "class=\"raised\">-{}</tspan></text>",
          x(i), kBottom + 19, view_.levels[i]);
    }
    text += svg_line(kLeft, kBottom, kRight, kBottom, "axis");
    return text + svg_text((kLeft + kRight) / 2, kBottom + 36, "middle", "step h");
  }

  std::string curve(const LogSizes& sizes, const char* classes) const {
    std::string points, dots;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (!sizes[i]) continue;
      points += fmt::format("{:.1f},{:.1f} ", x(i), y(*sizes[i]));
      dots += fmt::format("M{:.1f},{:.1f}h0", x(i), y(*sizes[i]));
    }
    if (points.empty()) return "";
    const bool has_dots = std::string_view(classes) != "estimate";
    return fmt::format("<g class=\"{}\"><polyline points=\"{}\"/>{}</g>", classes, points,
                       has_dots ? "<path class=\"dots\" d=\"" + dots + "\"/>" : "");
  }

  std::string distance(const std::string& under_test) const {
    if (!view_.distance)
      return svg_text(kLeft + 8, kBottom - 8, "good",
                      under_test + " is exactly on the numeric slope");
    const bool inside = view_.radius && *view_.distance <= *view_.radius;
    const double at = y(*view_.distance);
    return svg_line(kLeft, at, kRight, at, inside ? "distance good" : "distance bad") +
           svg_text(kLeft + 8, at > kTop + 18 ? at - 6 : at + 15, inside ? "good" : "bad",
                    fmt::format("{} is off by {:.1e}", under_test, std::pow(10, *view_.distance)));
  }

  static std::string legend() {
    std::string text;
    double at = kLeft;
    for (const auto& [classes, label, width] :
         {std::tuple("quotient", "|D − slope|", 108.0),
          std::tuple("extrapolated", "|R − slope|", 108.0),
          std::tuple("estimate", "its own estimate e", 150.0)}) {
      text += fmt::format("<g class=\"{}\"><polyline points=\"{:.1f},16 {:.1f},16\"/>{}</g>",
                          classes, at, at + 22,
                          classes == std::string_view("estimate")
                              ? ""
                              : fmt::format("<path class=\"dots\" d=\"M{:.1f},16h0\"/>", at + 11));
      text += svg_text(at + 28, 20, "", label);
      at += width;
    }
    return text;
  }

  const LadderView& view_;
};

// The axis of detectable errors.
constexpr double kPowerWidth = 260, kLeastPower = -16, kMostPower = -3;

double power_x(double log_size) {
  const double share = (log_size - kLeastPower) / (kMostPower - kLeastPower);
  return 6 + (kPowerWidth - 12) * std::clamp(share, 0.0, 1.0);
}

}  // namespace

std::string ladder_svg(const LadderView& view, const std::string& under_test) {
  return fmt::format(
             "<svg class=\"ladder\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"error against "
             "step\">",
             LadderPlot::kWidth, LadderPlot::kHeight) +
         LadderPlot(view).elements(under_test) + "</svg>";
}

std::string ladder_picture(const LadderView& view, const std::string& under_test,
                           const std::string& title) {
  constexpr double kMargin = 14, kTitle = 24;
  return interchange::svg_file(
      {.width = LadderPlot::kWidth + 2 * kMargin,
       .height = LadderPlot::kHeight + kTitle + 2 * kMargin,
       .title = title,
       .rules = kPlotRules,
       .elements = svg_text(2 * kMargin, kMargin + 14, "title", title) +
                   fmt::format("<g transform=\"translate({} {})\">", kMargin, kTitle + kMargin) +
                   LadderPlot(view).elements(under_test) + "</g>"});
}

std::string power_svg(const OperatorSummary& one) {
  std::string text = fmt::format("<svg class=\"power\" viewBox=\"0 0 {} 18\">", kPowerWidth);
  text += svg_line(6, 9, kPowerWidth - 6, 9, "grid");
  for (const auto& [dtype, detectable] : one.detectable) {
    const char* name = dtype != kFloat64 ? "f32" : "f64";
    const double gate = power_x(std::log10(power_gate(dtype)));
    text += svg_line(gate, 3, gate, 15, name);
    if (detectable > 0)
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"9\" r=\"4.5\" class=\"{}\"/>",
                          power_x(std::log10(detectable)), name);
  }
  return text + "</svg>";
}

std::string power_axis_svg() {
  std::string text = fmt::format("<svg class=\"power\" viewBox=\"0 0 {} 18\">", kPowerWidth);
  for (int level = -15; level <= -3; level += 3)
    text += power_of_ten(power_x(level), 14, level, "middle");
  return text + "</svg>";
}

}  // namespace notape::verify
