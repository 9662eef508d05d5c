#include "verify/numeric/noise_table.h"

#include <algorithm>
#include <cmath>

#include "verify/numeric/ladder.h"

namespace notape::verify {
namespace {

/// The noise of neighbouring values: j-th differences of a smooth function vanish, those of noise
/// are sqrt((2j)! / (j!)^2) times as large.
double noise_of(std::vector<Wide> values, Wide scale) {
  constexpr double kSpreads[] = {1, 2, 6, 20, 70, 252, 924};  // (2j)! / (j!)^2
  for (Wide& value : values) value /= scale;                  // no square over- or underflows
  double least = HUGE_VAL;
  for (int j = 1; j <= 6; ++j) {
    double squares = 0;
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      values[i] = values[i + 1] - values[i];
      const auto difference = static_cast<double>(values[i]);
      squares += difference * difference;
    }
    values.pop_back();
    if (j < 3) continue;
    least = std::min(least, std::sqrt(squares / static_cast<double>(values.size()) / kSpreads[j]));
  }
  return least * static_cast<double>(scale);
}

bool half_are_equal(const std::vector<Wide>& values) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) equal += values[i] == values[i + 1];
  return 2 * equal >= values.size() - 1;
}

}  // namespace

TableNoise table_noise(const std::function<Wide(Wide)>& phi, Wide here, int spacing, Wide scale) {
  constexpr int kSamples = 9;
  TableNoise result{.noise = HUGE_VAL};
  for (const int side : {1, -1}) {
    std::vector<Wide> values{here};
    for (int i = 1; i < kSamples; ++i) values.push_back(phi(Wide(side * i) * step_of(spacing)));
    if (!std::all_of(values.begin(), values.end(), is_finite)) continue;
    result.resolved = result.resolved || !half_are_equal(values);
    result.noise = std::min(result.noise, noise_of(std::move(values), scale));
  }
  return result;
}

Wide stair_of(const Samples& samples) {
  if (!samples.stand_still()) return 0;
  Wide lowest = 0;
  for (const Samples::Level& level : samples.levels)
    for (const Wide& value : {level.above, level.below})
      if (const Wide one = magnitude(value - samples.here);
          one > 0 && (lowest == 0 || one < lowest))
        lowest = one;
  return lowest;
}

bool is_staircase(const std::function<Wide(Wide)>& phi, const Samples& samples) {
  constexpr double kNear = 1 + 0x1p-20;
  constexpr int kPlaces = 4;
  if (!samples.stand_still()) return false;
  int places = 0;
  for (const Samples::Level& level : samples.levels)
    for (const int side : {1, -1}) {
      const Wide value = side > 0 ? level.above : level.below;
      if (!is_finite(value) || value == samples.here) continue;
      if (phi(Wide(side * kNear) * step_of(level.exponent)) != value) return false;
      if (++places == kPlaces) return true;
    }
  return places > 1;
}

}  // namespace notape::verify
