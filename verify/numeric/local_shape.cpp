#include "verify/numeric/local_shape.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

constexpr std::size_t kWindow = 8, kFewest = 5;

/// The one-sided slopes of one level.
struct Slopes {
  int exponent;
  Wide h, below, above, gap_below, gap_above, noise;
  Wide apart() const { return magnitude(above - below); }
  Wide size() const {
    const Wide a = is_finite(below) ? magnitude(below) : Wide(0);
    const Wide b = is_finite(above) ? magnitude(above) : Wide(0);
    return std::max(a, b);
  }
};

Slopes slopes_of(const Samples& samples, const Samples::Level& level) {
  const Wide h = Wide(std::ldexp(1.0, -level.exponent));
  const Wide below = samples.here - level.below, above = level.above - samples.here;
  return {level.exponent,         h, below / h, above / h, magnitude(below), magnitude(above),
          samples.noise_at(level)};
}

double log2_of(Wide x) { return std::log2(static_cast<double>(x)); }

/// Free of noise: rounding errors are small beside the slopes, or there are none at all.
bool is_clean(const Samples& samples, const Samples::Level& level, const Slopes& slopes,
              Wide claimed, Wide steepest) {
  const Wide size = std::max(slopes.size(), magnitude(claimed));
  if (2 * slopes.noise / slopes.h < Wide(1e-3) * size) return true;
  const bool equal = level.below == samples.here && level.above == samples.here;
  const Wide unit = std::max(samples.epsilon * magnitude(samples.here), level.inner);
  return equal && unit / slopes.h < Wide(1e-3) * steepest;
}

struct Growth {
  double exponent = 0;  ///< q in |D| ~ h^-q, if it is the same throughout
  bool gap_stays = false;
};
template <typename Slope, typename Gap>
Growth growth_of(const std::vector<Slopes>& window, Slope slope, Gap gap) {
  // (A value that goes up or down by a rounding in any step grows like that, too.)
  if (!(gap(window.back()) > kAboveNoise * window.back().noise)) return {};
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::size_t k = 0; k + 1 < window.size(); ++k) {
    const Wide coarse = magnitude(slope(window[k])), fine = magnitude(slope(window[k + 1]));
    if (coarse == 0 || fine == 0) return {};
    const double steps = window[k + 1].exponent - window[k].exponent;
    const double q = log2_of(fine / coarse) / steps;
    least = std::min(least, q);
    most = std::max(most, q);
  }
  if (most - least > 0.1) return {};
  return {0.5 * (least + most), gap(window.back()) > Wide(0.9) * gap(window.front())};
}

/// p in |D+ - D-| ~ h^p, by least squares; infinite where the difference vanishes.
double shrinking(const std::vector<Slopes>& window) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Slopes& slopes : window) {
    if (slopes.apart() == 0) return HUGE_VAL;
    const double a = -slopes.exponent, b = log2_of(slopes.apart());
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

bool differ(const Slopes& slopes) {
  return is_finite(slopes.apart()) && slopes.apart() > kAboveNoise * slopes.noise / slopes.h &&
         slopes.apart() > Wide(0.02) * slopes.size();
}

}  // namespace

std::string_view name_of(LocalShape shape) {
  constexpr std::string_view names[] = {"smooth", "kink", "jump", "unbounded", "undecided"};
  return names[static_cast<int>(shape)];
}

Wide Samples::steepest() const {
  Wide most = 0;
  for (const Level& level : levels) most = std::max(most, slopes_of(*this, level).size());
  return most;
}

Wide Samples::steepest_seen() const {
  Wide most = 0;
  for (const Level& level : levels) {
    const Slopes slopes = slopes_of(*this, level);
    for (const auto& [gap, slope] :
         {std::pair(slopes.gap_below, slopes.below), std::pair(slopes.gap_above, slopes.above)})
      if (is_finite(slope) && gap > 4 * slopes.noise) most = std::max(most, magnitude(slope));
  }
  return most;
}

Wide Samples::noise_at(const Level& level) const {
  Wide size = 0;  // exp grows: a long step's value says nothing about roundings at short ones
  for (const Wide& value : {level.above, level.below})
    if (is_finite(value)) size = std::max(size, magnitude(value));
  return std::max({noise, level.inner, epsilon * size});
}

Wide Samples::noise_at(int exponent) const {
  const auto nearest =
      std::min_element(levels.begin(), levels.end(), [&](const Level& a, const Level& b) {
        return std::abs(a.exponent - exponent) < std::abs(b.exponent - exponent);
      });
  return nearest == levels.end() ? noise : noise_at(*nearest);
}

bool Samples::constant() const {
  return std::all_of(levels.begin(), levels.end(), [&](const Level& level) {
    return level.below == here && level.above == here;
  });
}

LocalView look(const Samples& samples, Wide claimed) {
  LocalView view;
  const Wide steepest = samples.steepest();
  std::vector<Slopes> window;
  for (auto level = samples.levels.rbegin(); level != samples.levels.rend(); ++level) {
    const Slopes slopes = slopes_of(samples, *level);
    const bool either = is_finite(slopes.below) || is_finite(slopes.above);
    if (either && is_clean(samples, *level, slopes, claimed, steepest)) window.push_back(slopes);
    if (window.size() == kWindow) break;
  }
  std::reverse(window.begin(), window.end());
  if (window.size() < kFewest) return view;
  const Slopes& finest = window.back();
  const auto finite = [&](Wide Slopes::*side) {
    return std::all_of(window.begin(), window.end(),
                       [&](const Slopes& slopes) { return is_finite(slopes.*side); });
  };
  view.has_below = finite(&Slopes::below);
  view.has_above = finite(&Slopes::above);
  view.below = finest.below;
  view.above = finest.above;
  // Slopes of a curve still move as steps fall, by as much as they did last.
  const Slopes& before = window[window.size() - 2];
  view.widening = kAboveNoise * finest.noise / finest.h;
  for (const Wide moved : {finest.below - before.below, finest.above - before.above})
    if (is_finite(moved)) view.widening += magnitude(moved);
  Growth below, above;
  if (view.has_below)
    below = growth_of(
        window, [](const Slopes& s) { return s.below; },
        [](const Slopes& s) { return s.gap_below; });
  if (view.has_above)
    above = growth_of(
        window, [](const Slopes& s) { return s.above; },
        [](const Slopes& s) { return s.gap_above; });
  view.growth_below = below.exponent;
  view.growth_above = above.exponent;
  const auto jumps = [](const Growth& side) { return side.exponent >= 0.9 && side.gap_stays; };
  if (jumps(below) || jumps(above))
    view.shape = LocalShape::Jump;
  else if (below.exponent >= 0.1 || above.exponent >= 0.1)
    view.shape = LocalShape::Unbounded;
  else if (view.has_below && view.has_above && differ(finest) && shrinking(window) < 0.35)
    view.shape = LocalShape::Kink;
  else
    view.shape = LocalShape::Smooth;
  return view;
}

std::size_t first_uncrossed(const Samples& samples) {
  std::optional<Slopes> finer;
  for (std::size_t k = samples.levels.size(); k-- > 0;) {
    const Slopes slopes = slopes_of(samples, samples.levels[k]);
    if (finer && differ(slopes) && differ(*finer) &&
        finer->apart() > Wide(kSidesStayApart) * slopes.apart())
      return k + 2;
    finer = slopes;
  }
  return 0;
}

bool slopes_meet(const Samples& samples) {
  if (samples.levels.size() < 2) return false;
  const auto coarse = slopes_of(samples, samples.levels.end()[-2]);
  const auto fine = slopes_of(samples, samples.levels.back());
  const Wide before = coarse.above - coarse.below, after = fine.above - fine.below;
  const Wide in_the_limit = magnitude(2 * after - before);
  return is_finite(in_the_limit) &&
         in_the_limit <= 40 * fine.noise / fine.h + Wide(kBendLeft) * magnitude(before);
}

Wide least_norm(Wide below, Wide above) {
  if ((below <= 0 && above >= 0) || (below >= 0 && above <= 0)) return 0;
  return magnitude(below) < magnitude(above) ? below : above;
}

}  // namespace notape::verify
