// convention: the derivative on the kinks that a plugin declares.
#include <algorithm>
#include <cmath>

#include "verify/checks/duals.h"
#include "verify/checks/lane.h"
#include "verify/checks/opaque_reference.h"
#include "verify/numeric/extrapolate.h"
#include "verify/numeric/tolerance.h"
#include "verify/plugin/foreign_case.h"
#include "verify/plugin/foreign_checks.h"

namespace notape::verify {
namespace {

constexpr uint32_t kKinkStream = 3 << 24;

/// The slope on one side, by one-sided differences of second order.
Slope slope_of_side(const Samples& samples, int side) {
  std::vector<Quotient> quotients;
  for (std::size_t k = 1; k < samples.levels.size(); ++k) {
    const Samples::Level &coarse = samples.levels[k - 1], &fine = samples.levels[k];
    if (coarse.exponent + 1 != fine.exponent) continue;
    const Wide h = Wide(std::ldexp(1.0, -fine.exponent));
    const Wide far = side > 0 ? coarse.above : coarse.below;
    const Wide near = side > 0 ? fine.above : fine.below;
    const Wide quotient = (4 * near - far - 3 * samples.here) / (2 * side * h);
    if (is_finite(quotient)) quotients.push_back({fine.exponent, quotient, 4 * samples.noise / h});
  }
  return extrapolate(quotients, true);
}

/// What a convention makes of the slopes of both sides: a number, or anything between two.
struct Wanted {
  Wide low, high;
};
Wanted wanted_of(const notape_kink& kink, Wide below, Wide above) {
  const auto exactly = [](Wide number) { return Wanted{number, number}; };
  switch (kink.convention) {
    case NOTAPE_KINK_BELOW:
      return exactly(below);
    case NOTAPE_KINK_ABOVE:
      return exactly(above);
    case NOTAPE_KINK_MEAN:
      return exactly((below + above) / 2);
    case NOTAPE_KINK_LEAST:
      return exactly(least_norm(below, above));
    case NOTAPE_KINK_SLOPES: {
      const Wide share =
          (Wide(kink.slope) - Wide(kink.below)) / (Wide(kink.above) - Wide(kink.below));
      return exactly(below + share * (above - below));
    }
    default:
      return {std::min(below, above), std::max(below, above)};
  }
}

std::string text_of_number(Wide number) {
  return number_text(static_cast<double>(number), kFloat64);
}

const char* name_of_convention(int32_t convention) {
  constexpr const char* kNames[] = {"between them", "the one from below", "the one from above",
                                    "their mean",   "the least between",  "as declared"};
  return kNames[convention];
}

/// One entry on one kink.
class KinkQuestion {
 public:
  KinkQuestion(const Subject& moved, const Lane& lane, const notape_kink& kink)
      : moved_(moved), lane_(lane), kink_(kink) {}

  void ask(Outcome& outcome) const {
    const Direction u = along_lane(moved_.drawn, lane_, unit());
    const Ladder ladder = opaque_ladder(moved_, u, moved_.incoming());
    const Slope below = slope_of_side(ladder.samples, -1), above = slope_of_side(ladder.samples, 1);
    if (!below.finite || !above.finite) return;
    ++outcome.comparisons;
    const Wide scale = std::max(magnitude(below.value), magnitude(above.value));
    const Wide radius = Wide(kLadderFactor) * (below.error + above.error) +
                        Wide(rounding_factor(moved_.dtype) * epsilon_of(moved_.dtype)) * scale +
                        Wide(smallest_of(moved_.dtype));
    if (scale > 0 && radius / scale > Wide(moved_.power_gate())) {
      ++outcome.unresolved;
      return;
    }
    if (scale > 0)
      outcome.detectable = std::max(outcome.detectable, static_cast<double>(radius / scale));
    check_declared_slopes(below.value, above.value, radius, outcome);
    const Wanted wanted = wanted_of(kink_, below.value, above.value);
    const auto judge = [&](Wide got, const char* mode, const char* blame) {
      if (is_red(outcome.verdict) || (got >= wanted.low - radius && got <= wanted.high + radius))
        return;
      const Wide step = Wide(unit());
      outcome.verdict = is_finite(got) ? Verdict::Fail : Verdict::Nonfinite;
      outcome.reason = "convention";
      outcome.message = format_message(
          "on the declared kink at {} the slopes are {} and {}, the {}derivative should be {}",
          {number_text(kink_.at, moved_.dtype), text_of_number(below.value / step),
           text_of_number(above.value / step), mode, name_of_convention(kink_.convention)});
      outcome.blame = blame;
      const Wide nearest = got < wanted.low ? wanted.low : wanted.high;
      const auto expected = static_cast<double>(nearest / step),
                 found = static_cast<double>(got / step);
      outcome.guilty =
          Guilty{format_message("gradient of argument {} at {}", {lane_.argument, place()}),
                 expected, found, ulps_between(expected, found, moved_.dtype)};
    };
    judge(weighted_sum(u, moved_.base().gradients).value, "", "the reverse rule");
    if (const auto forward = forward_slope_if_any(moved_, u)) {
      ++outcome.comparisons;
      judge(forward->value, "forward-mode ", "the forward rule");
    }
  }

 private:
  /// What the operator makes of the entry multiplies the declared slopes alike.
  void check_declared_slopes(Wide below, Wide above, Wide radius, Outcome& outcome) const {
    if (kink_.convention != NOTAPE_KINK_SLOPES) return;
    const Wide gap = magnitude(below * Wide(kink_.above) - above * Wide(kink_.below));
    if (gap <= radius * (magnitude(Wide(kink_.above)) + magnitude(Wide(kink_.below)))) return;
    const Wide step = Wide(unit());
    outcome.verdict = Verdict::Fail;
    outcome.reason = "convention";
    outcome.message = format_message(
        "on the declared kink at {} the slopes are {} and {}, which are no multiple of the "
        "declared "
        "{} and {}",
        {number_text(kink_.at, moved_.dtype), text_of_number(below / step),
         text_of_number(above / step), kink_.below, kink_.above});
  }
  double unit() const {
    return power_of_two_below(typical_size(moved_.drawn.arguments[lane_.argument].values));
  }
  std::string place() const {
    return coordinates(moved_.drawn.arguments[lane_.argument].argument.sizes, lane_.entry);
  }

  const Subject& moved_;
  const Lane lane_;
  const notape_kink& kink_;
};

}  // namespace

bool has_foreign_kinks(const Subject& subject) {
  const ForeignCase* one = foreign_case_of(subject);
  if (!one || !subject.is_differentiable()) return false;
  for (std::size_t a : subject.real_arguments())
    if (!one->declaration->inputs[a].kinks.empty() && !subject.drawn.arguments[a].values.empty())
      return true;
  return false;
}

Outcome check_foreign_kinks(const Subject& subject) {
  constexpr std::size_t kMostKinks = 8;
  const ForeignCase& one = *foreign_case_of(subject);
  Outcome outcome;
  for (std::size_t a : subject.real_arguments()) {
    const DrawnArgument& argument = subject.drawn.arguments[a];
    const std::vector<notape_kink>& kinks = one.declaration->inputs[a].kinks;
    if (argument.values.empty()) continue;
    for (std::size_t k = 0; k < std::min(kinks.size(), kMostKinks); ++k) {
      const notape_kink& kink = kinks[k];
      // Between the numbers of the dtype nobody can be on it.
      const bool reachable =
          rounded(kink.at, subject.dtype) == kink.at && inside(kink.at, argument.argument.domain);
      if (!reachable) continue;
      const Lane lane{a, keyed_bits(subject.drawn.key, kKinkStream, k) % argument.values.size()};
      DrawnCase drawn = plain_copy(subject.drawn);
      value_at(drawn, lane) = kink.at;
      const Subject moved(subject.spec, drawn, subject.dtype, subject.device);
      KinkQuestion(moved, lane, kink).ask(outcome);
      if (is_red(outcome.verdict)) return outcome;
    }
  }
  return outcome;
}

}  // namespace notape::verify
