#include "verify/checks/second_value.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/bisection.h"
#include "verify/checks/directions_of.h"
#include "verify/checks/second_slope.h"
#include "verify/checks/shared_questions.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// Twice along u: one direction that all entries move along, and few entries each by itself.
std::vector<Direction> twice_along(const Subject& subject) {
  std::vector<Direction> result{make_direction(subject.drawn, Scaling::Entry, 15)};
  if (subject.real_entries() > 1 && subject.real_entries() <= kFewEntries)
    for (std::size_t a : subject.real_arguments())
      for (std::size_t i = 0; i < subject.drawn.arguments[a].values.size(); ++i)
        result.push_back(one_hot(subject.drawn, a, i));
  std::erase_if(result, is_still);
  return result;
}

/// One step's second differences, around the point and to either side of it.
struct Curve {
  Wide around, above, below, noise;
  /// How far `claimed` is outside of them.
  Wide outside(Wide claimed) const {
    return std::max(claimed - std::max({around, above, below}),
                    std::min({around, above, below}) - claimed);
  }
};

/// Whether in the smallest steps that resolve it the values' bends lie apart from `claimed` on
/// either side: where the slope itself has a bend, it may be anything between.
bool is_outside(const Samples& samples, Wide claimed) {
  const std::size_t first = first_uncrossed(samples);
  for (std::size_t k = samples.levels.size(); k-- > first + 1;) {
    const Samples::Level &twice = samples.levels[k - 1], &once = samples.levels[k];
    const Wide h = Wide(std::ldexp(1.0, -once.exponent)), here = samples.here;
    const Curve curve{(once.above - 2 * here + once.below) / (h * h),
                      (twice.above - 2 * once.above + here) / (h * h),
                      (twice.below - 2 * once.below + here) / (h * h),
                      4 * samples.noise_at(once) / (h * h)};
    const Wide size = std::max(magnitude(claimed), magnitude(curve.around));
    if (!is_finite(curve.around) || Wide(kLadderFactor) * curve.noise > size / 8) continue;
    return curve.outside(claimed) > Wide(kLadderFactor) * curve.noise;
  }
  return false;
}

/// Whether the gradient is wrong at places around the point, as it must be if it does not bend as
/// the value does. What lies between steps, the tip of a hypotenuse, makes no right gradient wrong.
bool is_wrong_around(const Subject& subject, const Direction& u) {
  int wrong = 0;
  for (const double t : {0x1p-3, -0x1p-3, 0x1p-6, -0x1p-6, 0x1p-10, -0x1p-10}) {
    DrawnCase drawn = subject.drawn;
    const std::vector<Numbers> x = point_along(drawn, u, t);
    for (std::size_t a = 0; a < x.size(); ++a) drawn.arguments[a].values = x[a];
    try {
      wrong += is_wrong_along(Subject(subject.spec, drawn, subject.dtype, subject.device), u);
    } catch (const std::exception&) {  // outside of the domain
    }
    if (wrong == 2) return true;
  }
  return false;
}

/// What is lost beside the result itself, whose terms may cancel inside the operator, and inside
/// its gradient: what roundings of either would swallow is no evidence, nor is what is below the
/// smallest number.
Wide lost_beside(const Subject& subject, const Direction& u) {
  Wide sum = 0;
  for (std::size_t i = 0; i < subject.incoming().size(); ++i)
    if (const Wide term = Wide(subject.incoming()[i] * subject.base().output[i]); is_finite(term))
      sum += magnitude(term);
  if (const Sample slope = weighted_sum(u, subject.base().gradients); is_finite(slope.magnitude))
    sum += slope.magnitude;
  return Wide(kRoundingsBesideResult * epsilon_of(subject.dtype)) * sum +
         Wide(kRoundingsBesideResult * smallest_of(subject.dtype));
}

struct Compared {
  Sample claimed;
  Slope measured;
  Wide lost = 0;
  bool differs() const {
    return measured.finite &&
           magnitude(claimed.value - measured.value) >
               Wide(kLadderFactor) * measured.error + lost +
                   Wide(kCoarseCurvature) * std::max(claimed.magnitude, magnitude(measured.value));
  }
};

/// None if they do not differ, or if nothing can be said.
std::optional<Compared> difference_along(const Subject& subject, const Direction& u) {
  const Numbers& v = subject.incoming();
  Compared compared{second_run(subject, {u, u, {}}).slope, {}, lost_beside(subject, u)};
  if (!is_finite(compared.claimed.value)) return {};
  const DoublePath path = opaque_path(subject, u, v);
  DoublePath plain = path;
  plain.inner = {};  // for a quick yes
  compared.measured = curvature(climb_quickly(plain).samples);
  if (compared.measured.finite && !compared.differs()) return {};
  const Ladder ladder = climb(path);
  compared.measured = curvature(ladder.samples);
  const bool smooth = is_smooth(look(ladder.samples, compared.claimed.value)) && !ladder.one_sided;
  if (!smooth || !compared.differs() || !is_outside(ladder.samples, compared.claimed.value))
    return {};
  const Slope again = curvature(opaque_ladder(subject, scaled(u, kConfirmingShare), v).samples);
  const Wide apart =
      magnitude(again.value / Wide(kConfirmingShare * kConfirmingShare) - compared.measured.value);
  const bool confirmed =
      again.finite && apart <= Wide(kLadderFactor) * (again.error + compared.measured.error) +
                                   Wide(kCoarseCurvature) * magnitude(compared.measured.value);
  return confirmed && is_wrong_around(subject, u) ? std::optional(compared) : std::nullopt;
}

}  // namespace

std::optional<Outcome> contradiction_by_values(const Subject& subject) {
  for (const Direction& u : twice_along(subject)) {
    const auto compared = difference_along(subject, u);
    if (!compared) continue;
    const auto expected = static_cast<double>(compared->measured.value);
    const auto got = static_cast<double>(compared->claimed.value);
    Outcome outcome = Outcome::of(Verdict::Fail, "value",
                                  "the derivative of the gradient is not how the value itself "
                                  "bends: the gradient is right at "
                                  "this point and wrong around it");
    const auto entry = only_entry(u);
    const double unit = entry ? entry->step * entry->step : 1;
    outcome.guilty = Guilty{
        entry ? "second derivative by " + entry->text(subject) : "second directional derivative",
        expected / unit, got / unit, ulps_between(expected, got, kFloat64)};
    outcome.comparisons = 1;
    return outcome;
  }
  return {};
}

}  // namespace notape::verify
