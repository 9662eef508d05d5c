#include "verify/report/ladder_view.h"

#include <fmt/format.h>
#include <quadmath.h>

#include <algorithm>
#include <cmath>

namespace notape::verify {
namespace {

std::optional<double> log_size(Wide value) {
  const Wide size = magnitude(value);
  if (!is_finite(size) || !(size > 0)) return {};
  return static_cast<double>(log10q(size));
}

/// A grid of letters, `high` at the top.
class Picture {
 public:
  Picture(double low, double high) : low_(low), high_(high) {}

  void put(std::size_t column, const std::optional<double>& level, char letter) {
    if (level) rows_[row_of(*level)][column] = letter;
  }
  void line(const std::optional<double>& level, char letter) {
    if (!level) return;
    for (char& place : rows_[row_of(*level)])
      if (place == ' ') place = letter;
  }
  std::string text() const {
    std::string result;
    for (std::size_t row = 0; row < kRows; ++row) {
      const bool labelled = row % 3 == 0 || row + 1 == kRows;
      const double level = high_ - (high_ - low_) * static_cast<double>(row) / (kRows - 1);
      result += fmt::format("  {:>7} |{}\n", labelled ? fmt::format("1e{:+03.0f}", level) : "",
                            rows_[row]);
    }
    return result + fmt::format("  {:>7} +{:-<{}}\n", "", "", kColumns);
  }

  static constexpr std::size_t kColumns = 61;

 private:
  static constexpr std::size_t kRows = 16;
  std::size_t row_of(double level) const {
    const double share = std::clamp((high_ - level) / (high_ - low_), 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(share * (kRows - 1)));
  }

  double low_, high_;
  std::vector<std::string> rows_ = std::vector<std::string>(kRows, std::string(kColumns, ' '));
};

}  // namespace

const Leg* find_leg(const Evidence& evidence, std::string_view name) {
  for (const Leg& leg : evidence.legs)
    if (leg.name == name && leg.absent.empty()) return &leg;
  return nullptr;
}

std::optional<LadderView> ladder_view(const Evidence& evidence) {
  const Leg* numeric = find_leg(evidence, "numeric");
  if (!numeric || evidence.rungs.empty()) return {};
  LadderView view;
  for (const Rung& rung : evidence.rungs) {
    view.levels.push_back(rung.exponent);
    view.quotient.push_back(log_size(rung.quotient - numeric->value));
    view.extrapolated.push_back(log_size(rung.extrapolated - numeric->value));
    view.estimate.push_back(log_size(rung.error));
  }
  if (evidence.legs.front().absent.empty())
    view.distance = log_size(evidence.legs.front().value - numeric->value);
  view.radius = log_size(evidence.radius);
  std::vector<double> all;
  for (const LogSizes* sizes : {&view.quotient, &view.extrapolated, &view.estimate})
    for (const auto& size : *sizes)
      if (size) all.push_back(*size);
  for (const auto& size : {view.distance, view.radius})
    if (size) all.push_back(*size);
  if (all.empty()) return {};
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  view.low = std::floor(*least);
  view.high = std::max(std::ceil(*most), view.low + 1);
  return view;
}

std::string ladder_text(const LadderView& view, const std::string& under_test) {
  Picture picture(view.low, view.high);
  const std::size_t last = std::max<std::size_t>(view.levels.size() - 1, 1);
  for (std::size_t i = 0; i < view.levels.size(); ++i) {
    const std::size_t column = i * (Picture::kColumns - 1) / last;
    picture.put(column, view.estimate[i], 'e');
    picture.put(column, view.quotient[i], 'D');
    picture.put(column, view.extrapolated[i], 'R');
  }
  picture.line(view.distance, '=');
  picture.line(view.radius, '.');
  std::string text = picture.text();
  const std::string first = fmt::format("h = 2^-{}", view.levels.front());
  text += fmt::format("  {:>7}  {}{:>{}}\n", "", first, fmt::format("2^-{}", view.levels.back()),
                      Picture::kColumns - first.size());
  text += "  D the difference quotient's error, R the extrapolated one's, e its own estimate\n";
  text +=
      fmt::format("  {} . . . how far off may pass\n",
                  view.distance ? fmt::format("= = = how far off {} is,", under_test)
                                : fmt::format("{} is exactly on the numeric slope;", under_test));
  return text;
}

}  // namespace notape::verify
