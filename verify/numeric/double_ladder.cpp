#include "verify/numeric/double_ladder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "verify/numeric/extrapolate.h"
#include "verify/numeric/noise_table.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

/// How a ladder is climbed in one arithmetic.
struct Arithmetic {
  double epsilon;
  Steps steps;
  /// Noise is measured at 2^-fine and at 2^-coarse, and at larger steps while most values are equal
  /// there.
  int fine, coarse;
  /// Of the levels at which roundings inside are measured, besides at 0.
  std::vector<int> probed = {};
};
const Arithmetic kDouble{0x1p-52, {3, 32}, 30, 20, {3, 6, 10, 16, 24}};
const Arithmetic kQuickDouble{0x1p-52, {4, 12}, 20, 20, {4}};
const Arithmetic kWide{kWideEpsilon, kThorough, 60, 40};

using Phi = std::function<Wide(Wide)>;

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

/// Whether slopes in smaller steps than those of `best` go to another number whatever the scatter
/// of neighbours seems to forbid: beside a sharp bend that is not noise but the bend. (Noise lets
/// no slopes settle, and what stands still is known by what rounding modes do inside.)
bool settles_elsewhere(const Slope& best, int exponent, const std::vector<Quotient>& quotients) {
  constexpr std::size_t kWindow = 5;
  std::size_t falling = 0;
  for (std::size_t k = 2; k < quotients.size(); ++k) {
    const Wide before = magnitude(quotients[k - 1].value - quotients[k - 2].value);
    const Wide last = magnitude(quotients[k].value - quotients[k - 1].value);
    const bool follows = quotients[k - 2].exponent > exponent;
    falling = follows && last > 0 && last <= Wide(kSlopesFall) * before ? falling + 1 : 0;
    const Wide apart = magnitude(quotients[k].value - best.value);
    if (falling + 2 >= kWindow &&
        apart > Wide(kLadderFactor) * (best.error + last + quotients[k].inside))
      return true;
  }
  return false;
}

/// Whether slopes in smaller steps than those of `best` are another number, far outside the errors
/// of both: a bend in between, that large steps do not see.
bool is_contradicted(const Slope& best, const std::vector<Quotient>& quotients) {
  const auto own = std::min_element(best.rungs.begin(), best.rungs.end(),
                                    [](const Rung& a, const Rung& b) { return a.error < b.error; });
  if (settles_elsewhere(best, own->exponent, quotients)) return true;
  const Slope plain = verify::extrapolate(quotients, false);
  return std::any_of(plain.rungs.begin(), plain.rungs.end(), [&](const Rung& rung) {
    return rung.exponent > own->exponent && magnitude(rung.extrapolated - best.value) >
                                                Wide(kLadderFactor) * (rung.error + best.error);
  });
}

/// The best one that no smaller steps contradict.
Slope consistent_extrapolation(std::vector<Quotient> quotients) {
  Slope best = best_extrapolation(quotients);
  while (best.finite && is_contradicted(best, quotients)) {
    quotients.erase(quotients.begin());
    if (quotients.size() < kFewestLevels) return {};
    best = best_extrapolation(quotients);
  }
  return best;
}

/// The slope from the samples; deviations move steps.
void extrapolate(Ladder& ladder, const Phi& phi, const DoublePath& known) {
  const Samples& samples = ladder.samples;
  const auto noise_at = [&](const Samples::Level& level, Wide quotient) {
    const Wide h = step_of(level.exponent);
    const double off = known.deviation ? known.deviation(static_cast<double>(h)) : 0;
    return std::max(samples.noise_at(level), samples.stair) / h +
           Wide(off) * std::max(magnitude(quotient), Wide(known.slopes));
  };
  const auto inside_at = [&](const Samples::Level& level) {
    const Wide unseen = std::numeric_limits<double>::infinity();
    return samples.probed ? std::max(level.inner, samples.stair) / step_of(level.exponent) : unseen;
  };
  std::vector<Quotient> both;
  for (std::size_t k = first_uncrossed(samples); k < samples.levels.size(); ++k) {
    const Samples::Level& level = samples.levels[k];
    const Wide h = step_of(level.exponent), quotient = (level.above - level.below) / (2 * h);
    if (is_finite(quotient))
      both.push_back({level.exponent, quotient, noise_at(level, quotient), inside_at(level)});
  }
  if (both.size() >= kFewestLevels) ladder.slope = consistent_extrapolation(both);
  for (const int side : {1, -1}) {
    if (ladder.slope.finite || !both.empty()) break;
    std::vector<Quotient> one;
    for (const Samples::Level& level : samples.levels) {
      const Wide h = step_of(level.exponent), near = side > 0 ? level.above : level.below;
      const Wide quotient = (4 * near - phi(2 * side * h) - 3 * samples.here) / (2 * side * h);
      if (is_finite(quotient))
        one.push_back({level.exponent, quotient, 4 * noise_at(level, quotient)});
    }
    if (one.size() >= kFewestLevels) ladder.slope = verify::extrapolate(one, true);
    ladder.one_sided = ladder.slope.finite;
  }
  ladder.converged = ladder.slope.finite && all_agree(ladder.slope);
}

Wide largest_of(std::initializer_list<Wide> values) {
  Wide most = 0;
  for (const Wide& value : values)
    if (is_finite(value)) most = std::max(most, magnitude(value));
  return most;
}

struct Scatter : TableNoise {
  bool fine;  ///< whether neighbours at the smallest distance differ
};

/// The scatter of neighbouring values, at larger steps while most of them are equal: what these
/// show counts unless it is more than roundings would be, as beside a kink.
Scatter scatter_of(const Arithmetic& arithmetic, const Phi& phi, const Samples& samples, Wide scale,
                   Wide most_of_stairs) {
  const TableNoise fine = table_noise(phi, samples.here, arithmetic.fine, scale);
  TableNoise coarse = arithmetic.coarse == arithmetic.fine
                          ? fine
                          : table_noise(phi, samples.here, arithmetic.coarse, scale);
  Scatter result{{std::max(fine.noise, coarse.noise), coarse.resolved}, fine.resolved};
  if (samples.constant()) return result;
  for (int spacing = arithmetic.coarse - 4; !coarse.resolved && spacing >= 8; spacing -= 4) {
    coarse = table_noise(phi, samples.here, spacing, scale);
    if (Wide(coarse.noise) <= most_of_stairs) result.noise = std::max(result.noise, coarse.noise);
  }
  return result;
}

/// What roundings inside move values by at the levels: the larger of what they do at the probed
/// levels on either side.
void probe_inside(const Arithmetic& arithmetic, const std::function<double(double)>& inner,
                  Samples& samples) {
  const double here = inner(0);
  if (here < 0) return;
  std::vector<double> known;
  for (const int exponent : arithmetic.probed) {
    const double h = std::ldexp(1.0, -exponent);
    known.push_back(std::max({here, inner(h), inner(-h)}));
  }
  known.push_back(here);
  for (Samples::Level& level : samples.levels) {
    std::size_t k = 0;
    while (k < arithmetic.probed.size() && arithmetic.probed[k] < level.exponent) ++k;
    level.inner = Wide(std::max(known[k], known[k > 0 ? k - 1 : 0]));
  }
  samples.probed = true;
}

/// Functions exist that are good in one mode only: a vector library's cosine near its zeros. What
/// modes do to values is not believed where it is far more than neighbouring values scatter by, at
/// whatever distance. (On one stair of a staircase they do not.)
void doubt_modes(const Phi& phi, Wide scale, Samples& samples) {
  Wide most = 0;
  for (const Samples::Level& level : samples.levels) most = std::max(most, level.inner);
  if (most <= Wide(kWild) * samples.noise) return;
  Wide believed = samples.noise;
  for (const int spacing : {20, 16, 12, 8}) {
    const TableNoise scatter = table_noise(phi, samples.here, spacing, scale);
    if (!scatter.resolved || !std::isfinite(scatter.noise)) return;
    believed = std::max(believed, Wide(4 * scatter.noise));
  }
  for (Samples::Level& level : samples.levels) {
    level.doubted = level.inner;
    level.inner = std::min(level.inner, Wide(kWild) * believed);
  }
}

/// The height of a step on one side of the point: what slopes grow by from one step to the next,
/// half as long, is that over the step, where a curve's change less and less. 0 if there is none.
Wide gap_of(const Samples& samples, double terms, bool is_above) {
  constexpr std::size_t kFewest = 4;
  Wide least = 0, most = 0;
  std::size_t count = 0;
  for (std::size_t k = samples.levels.size(); k-- > 1 && count < kFewest;) {
    const Samples::Level &coarse = samples.levels[k - 1], &fine = samples.levels[k];
    const Wide there = (is_above ? coarse.above : coarse.below) - samples.here;
    const Wide nearer = (is_above ? fine.above : fine.below) - samples.here;
    const Wide gap = 2 * nearer - there;
    const Wide noise = samples.epsilon * std::max(Wide(terms), magnitude(there));
    if (!is_finite(gap) || magnitude(gap) <= Wide(kClearGap) * noise) return 0;
    least = count == 0 ? gap : std::min(least, gap);
    most = count == 0 ? gap : std::max(most, gap);
    ++count;
  }
  const Wide size = std::max(magnitude(least), magnitude(most));
  return count == kFewest && most - least <= Wide(kSameGap) * size ? size : Wide(0);
}

/// The height of a step where one formula takes over from another, a series from a quotient for
/// instance, if nobody would call it a jump; 0 if there is none.
Wide switch_between_formulas(const Samples& samples, double terms) {
  const Wide gap = std::max(gap_of(samples, terms, true), gap_of(samples, terms, false));
  return gap <= Wide(kHighestSwitch) * Wide(terms) ? gap : Wide(0);
}

/// `known`: what the path knows of itself besides values.
Ladder climb_in(const Arithmetic& arithmetic, const Phi& phi, const DoublePath& known = {}) {
  Ladder ladder;
  ladder.opaque = known.opaque;
  ladder.fine = known.fine;
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
  const double terms = known.terms ? known.terms() : 0;
  if (known.hidden) ladder.hidden = known.hidden();
  const Wide scale = samples.largest > 0 ? samples.largest : Wide(1);
  const Wide stairs = Wide(kHighestStair) * samples.epsilon * std::max(samples.largest, Wide(1));
  const Scatter scatter = scatter_of(arithmetic, phi, samples, scale, stairs);
  // Of an opaque path, whose own roundings are measured: where neighbours differ, values there say
  // what roundings cost there, and noise_at() what they do at larger ones (exp grows); where they
  // stand still, the largest value says what is lost inside.
  const Samples::Level& last = samples.levels.back();
  const Wide size = known.opaque && scatter.fine
                        ? largest_of({samples.here, last.above, last.below})
                        : samples.largest;
  const double unit = arithmetic.epsilon * std::max(static_cast<double>(size), terms);
  const double most = (terms > 0 ? kMostNoiseOfTerms : kMostNoise) * unit;
  samples.noise = std::max(unit, 4 * std::min(scatter.noise, most));
  if (known.opaque) {
    const Wide stair = stair_of(samples);
    if (stair <= stairs)
      samples.noise = std::max(samples.noise, stair);
    else if (is_staircase(phi, samples))
      samples.stair = stair;
  }
  if (known.inner) {
    probe_inside(arithmetic, known.inner, samples);
    if (!known.fine) doubt_modes(phi, scale, samples);
  }
  if (known.opaque)
    samples.noise = std::max(samples.noise, switch_between_formulas(samples, terms));
  extrapolate(ladder, phi, known);
  ladder.moves = known.moves && samples.steepest() < Wide(kHiddenSlope) && known.moves();
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
      arithmetic, [&](Wide t) { return phi.at(static_cast<double>(t)); }, phi);
}

}  // namespace

Ladder climb(const DoublePath& phi) { return climb_in(kDouble, phi); }

Ladder climb_quickly(const DoublePath& phi) { return climb_in(kQuickDouble, phi); }

Slope curvature(const Samples& samples) {
  std::vector<Quotient> quotients;
  for (std::size_t k = first_uncrossed(samples); k < samples.levels.size(); ++k) {
    const Samples::Level& level = samples.levels[k];
    const Wide h = step_of(level.exponent);
    const Wide bend = (level.above - 2 * samples.here + level.below) / (h * h);
    if (is_finite(bend))
      quotients.push_back({level.exponent, bend, 4 * samples.noise_at(level) / (h * h)});
  }
  return quotients.size() < kFewestLevels ? Slope() : consistent_extrapolation(quotients);
}

Ladder climb(const Path& phi) {
  return climb_in(kWide, [&](Wide t) { return phi(t).value; });
}

}  // namespace notape::verify
