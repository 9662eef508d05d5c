#include "verify/numeric/double_ladder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "verify/numeric/extrapolate.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// With fewer levels on both sides the slope is taken from one.
constexpr std::size_t kFewestLevels = 6;
/// What more than this scatters values, in roundings, is not noise but a jump nearby, for instance.
/// A path that tells its terms is a whole function of a user's, in which nearly all may cancel: the
/// gradient of (1 - cos x) / x^2 at 1e-3 has lost 10^12 roundings of itself.
constexpr double kMostNoise = 1e4, kMostNoiseOfTerms = 1e14;

Wide step_of(int exponent) { return Wide(std::ldexp(1.0, -exponent)); }

/// How a ladder is climbed in one arithmetic.
struct Arithmetic {
  double epsilon;
  Steps steps;
  /// Noise is measured at 2^-fine and at 2^-coarse: values rounded coarsely may all be equal at the
  /// fine one.
  int fine, coarse;
};
constexpr Arithmetic kDouble{0x1p-52, {3, 32}, 30, 20};
constexpr Arithmetic kQuickDouble{0x1p-52, {4, 12}, 20, 20};
constexpr Arithmetic kWide{kWideEpsilon, kThorough, 60, 40};

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

/// Of nine values on either side, 0 among them: the quieter one, so that a kink there or nearby
/// passes for no noise. Infinite where no side is in the domain.
double measured_noise(const std::function<Wide(Wide)>& phi, Wide here, int spacing, Wide scale) {
  constexpr int kSamples = 9;
  double least = HUGE_VAL;
  for (const int side : {1, -1}) {
    std::vector<Wide> values{here};
    for (int i = 1; i < kSamples; ++i) values.push_back(phi(Wide(side * i) * step_of(spacing)));
    if (std::all_of(values.begin(), values.end(), is_finite))
      least = std::min(least, noise_of(std::move(values), scale));
  }
  return least;
}

bool all_agree(const Slope& slope) {
  const auto best =
      std::min_element(slope.rungs.begin(), slope.rungs.end(),
                       [](const Rung& a, const Rung& b) { return a.error < b.error; });
  const auto first = best == slope.rungs.begin() ? best : best - 1;
  const auto last = best + 1 == slope.rungs.end() ? best + 1 : best + 2;
  return last - first > 1 && std::all_of(first, last, [&](const Rung& rung) {
           return magnitude(rung.extrapolated - best->extrapolated) <=
                  Wide(kLadderFactor) * best->error;
         });
}

/// Extrapolated as often as the error falls (Romberg's table).
Slope best_extrapolation(std::vector<Quotient> quotients) {
  Slope best = verify::extrapolate(quotients, false);
  for (int factor = 4; factor <= 64; factor *= 4) {
    std::vector<Quotient> next;
    for (std::size_t k = 0; k + 1 < quotients.size(); ++k) {
      const Quotient &coarse = quotients[k], &fine = quotients[k + 1];
      if (coarse.exponent + 1 != fine.exponent) continue;
      next.push_back({fine.exponent, fine.value + (fine.value - coarse.value) / (factor - 1),
                      fine.noise * (factor + 1) / (factor - 1)});
    }
    quotients = std::move(next);
    const Slope more = verify::extrapolate(quotients, false, 4 * factor);
    if (more.finite && more.error < best.error) best = more;
  }
  return best;
}

/// The slope from the samples: `noise` moves values, `deviation(h)` steps.
void extrapolate(Ladder& ladder, Wide noise, const std::function<Wide(Wide)>& phi,
                 const std::function<double(double)>& deviation) {
  const Samples& samples = ladder.samples;
  const auto noise_at = [&](Wide h, Wide quotient) {
    const double off = deviation ? deviation(static_cast<double>(h)) : 0;
    return noise / h + Wide(off) * magnitude(quotient);
  };
  std::vector<Quotient> both;
  for (std::size_t k = first_uncrossed(samples); k < samples.levels.size(); ++k) {
    const Samples::Level& level = samples.levels[k];
    const Wide h = step_of(level.exponent), quotient = (level.above - level.below) / (2 * h);
    if (is_finite(quotient)) both.push_back({level.exponent, quotient, noise_at(h, quotient)});
  }
  if (both.size() >= kFewestLevels) ladder.slope = best_extrapolation(both);
  for (const int side : {1, -1}) {
    if (ladder.slope.finite || !both.empty()) break;
    std::vector<Quotient> one;
    for (const Samples::Level& level : samples.levels) {
      const Wide h = step_of(level.exponent), near = side > 0 ? level.above : level.below;
      const Wide quotient = (4 * near - phi(2 * side * h) - 3 * samples.here) / (2 * side * h);
      if (is_finite(quotient)) one.push_back({level.exponent, quotient, 4 * noise_at(h, quotient)});
    }
    if (one.size() >= kFewestLevels) ladder.slope = verify::extrapolate(one, true);
    ladder.one_sided = ladder.slope.finite;
  }
  ladder.converged = ladder.slope.finite && all_agree(ladder.slope);
}

/// Values that stand still in small steps have been rounded on the way: the height of the lowest
/// stair that larger steps see. 0 if there are no stairs, or higher ones than roundings of a number
/// of size 1 would be.
Wide stair_of(const Samples& samples) {
  constexpr double kHighest = 0x1p12;
  if (!samples.stand_still()) return 0;
  Wide lowest = 0;
  for (const Samples::Level& level : samples.levels)
    for (const Wide& value : {level.above, level.below})
      if (const Wide one = magnitude(value - samples.here);
          one > 0 && (lowest == 0 || one < lowest))
        lowest = one;
  const Wide most = Wide(kHighest) * samples.epsilon * std::max(samples.largest, Wide(1));
  return lowest <= most ? lowest : Wide(0);
}

Ladder climb_in(const Arithmetic& arithmetic, const std::function<Wide(Wide)>& phi,
                const std::function<double(double)>& deviation = {}, double terms = 0,
                bool opaque = false) {
  Ladder ladder;
  ladder.opaque = opaque;
  Samples& samples = ladder.samples;
  samples.epsilon = arithmetic.epsilon;
  const auto value_at = [&](Wide t) {
    const Wide value = phi(t);
    if (is_finite(value)) samples.largest = std::max(samples.largest, magnitude(value));
    return value;
  };
  samples.here = value_at(0);
  for (int k = arithmetic.steps.first; k <= arithmetic.steps.last; ++k)
    samples.levels.push_back({k, value_at(-step_of(k)), value_at(step_of(k))});
  const Wide scale = samples.largest > 0 ? samples.largest : Wide(1);
  const double unit = arithmetic.epsilon * std::max(static_cast<double>(samples.largest), terms);
  const double fine = measured_noise(phi, samples.here, arithmetic.fine, scale);
  const double coarse = arithmetic.coarse == arithmetic.fine
                            ? fine
                            : measured_noise(phi, samples.here, arithmetic.coarse, scale);
  const double most = (terms > 0 ? kMostNoiseOfTerms : kMostNoise) * unit;
  const auto bounded = [&](double noise) { return std::max(unit, 4 * std::min(noise, most)); };
  samples.noise = bounded(std::max(fine, coarse));
  if (opaque) samples.noise = std::max(samples.noise, stair_of(samples));
  extrapolate(ladder, samples.noise, phi, deviation);
  return ladder;
}

}  // namespace

double without_last_bit(double x) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & ~uint64_t{1});
}

DoublePath line(std::function<double(double)> f, double x, double u) {
  const auto deviation = [x, u](double h) {
    const Wide step = Wide(h) * Wide(u);
    const Wide above = Wide(x + h * u) - Wide(x), below = Wide(x) - Wide(x - h * u);
    return static_cast<double>(std::max(magnitude(above - step), magnitude(below - step)) / step);
  };
  return {[f = std::move(f), x, u](double t) { return f(x + t * u); }, deviation};
}

namespace {

Ladder climb_in(const Arithmetic& arithmetic, const DoublePath& phi) {
  return climb_in(
      arithmetic, [&](Wide t) { return phi.at(static_cast<double>(t)); }, phi.deviation, phi.terms,
      phi.opaque);
}

}  // namespace

Ladder climb(const DoublePath& phi) { return climb_in(kDouble, phi); }

Ladder climb_quickly(const DoublePath& phi) { return climb_in(kQuickDouble, phi); }

Ladder climb(const Path& phi) {
  return climb_in(kWide, [&](Wide t) { return phi(t).value; });
}

}  // namespace notape::verify
