// convention: the derivative on the kinks that a plugin declares.
#include <algorithm>
#include <cmath>

#include "verify/checks/duals.h"
#include "verify/checks/opaque_reference.h"
#include "verify/checks/rounded_kink.h"
#include "verify/numeric/extrapolate.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {
namespace {

constexpr uint32_t kForeignKinkStream = 3 << 24;

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

const char* name_of_convention(int32_t convention) {
  constexpr const char* kNames[] = {"between them", "the one from below", "the one from above",
                                    "their mean",   "the least between",  "as declared"};
  return kNames[convention];
}

/// One entry on one kink.
class KinkQuestion {
 public:
  /// `on_kink` is there exactly: in float64 where the dtype of `subject` has no number for it.
  KinkQuestion(const Subject& subject, const Subject& on_kink, const ArgumentEntry& entry,
               const notape_kink& kink)
      : subject_(subject), on_kink_(on_kink), entry_(entry), kink_(kink) {}

  void ask(Outcome& outcome) const {
    const Direction u = along_entry(on_kink_.drawn, entry_, unit());
    const Ladder ladder = opaque_ladder(on_kink_, u, subject_.incoming());
    const Slope below = slope_of_side(ladder.samples, -1), above = slope_of_side(ladder.samples, 1);
    ++outcome.comparisons;
    if (!below.finite || !above.finite) {
      ++outcome.unresolved;
      return;
    }
    const Wide scale = std::max(magnitude(below.value), magnitude(above.value));
    const Wide roundings =
        Wide((is_exact() ? 1 : kRoundingsBeside) * rounding_factor(subject_.dtype));
    const Wide radius = Wide(kLadderFactor) * (below.error + above.error) +
                        roundings * Wide(epsilon_of(subject_.dtype)) * scale +
                        Wide(smallest_of(subject_.dtype));
    if (scale > 0 && radius / scale > Wide(subject_.power_gate())) {
      ++outcome.unresolved;
      return;
    }
    if (scale > 0)
      outcome.detectable = std::max(outcome.detectable, static_cast<double>(radius / scale));
    check_declared_slopes(below.value, above.value, radius, outcome);
    const Domain& domain = subject_.drawn.arguments[entry_.argument].argument.domain;
    for (const double at : numbers_on(kink_.at, subject_.dtype, domain))
      if (!is_red(outcome.verdict)) judge_at(at, below.value, above.value, radius, outcome);
  }

 private:
  bool is_exact() const { return rounded(kink_.at, subject_.dtype) == kink_.at; }

  /// What the derivative at a number of the dtype may be. Where the dtype has no number for the
  /// kink, a kernel's constant is the nearest one, where the convention then holds; or the exact
  /// one, as in `x > 0.1` with x a float, and the slope is that of the side. Both have the same
  /// values. Where values say that its constant is yet another number, it is something between.
  std::vector<Wanted> wanted_at(const Subject& moved, double at, Wide below, Wide above) const {
    std::vector<Wanted> wanted = {wanted_of(kink_, below, above)};
    if (is_exact()) return wanted;
    const Wide own = at > kink_.at ? above : below;
    const Wide step = Wide(unit());
    const bool is_break =
        at == rounded(kink_.at, subject_.dtype) &&
        is_break_of_values(moved, entry_, at, moved.incoming(), below / step, above / step);
    wanted.push_back(is_break ? Wanted{own, own}
                              : Wanted{std::min(below, above), std::max(below, above)});
    return wanted;
  }

  void judge_at(double at, Wide below, Wide above, Wide radius, Outcome& outcome) const {
    DrawnCase drawn = on_kink_.drawn;
    value_at(drawn, entry_) = at;
    const Subject moved(subject_.spec, drawn, subject_.dtype, subject_.device);
    const Direction u = along_entry(drawn, entry_, unit());
    const std::vector<Wanted> wanted = wanted_at(moved, at, below, above);
    const auto judge = [&](Wide got, const char* mode, const char* blame) {
      const auto holds = [&](const Wanted& one) {
        return got >= one.low - radius && got <= one.high + radius;
      };
      if (is_red(outcome.verdict) || std::any_of(wanted.begin(), wanted.end(), holds)) return;
      const Wide step = Wide(unit());
      outcome.verdict = is_finite(got) ? Verdict::Fail : Verdict::Nonfinite;
      outcome.reason = "convention";
      outcome.message = format_message(
          "on the declared kink at {} the slopes are {} and {}, the {}derivative should be {}",
          {place_of(at), number_text(below / step), number_text(above / step), mode,
           name_of_convention(kink_.convention)});
      outcome.blame = blame;
      const Wide nearest = got < wanted[0].low ? wanted[0].low : wanted[0].high;
      const auto expected = static_cast<double>(nearest / step),
                 found = static_cast<double>(got / step);
      outcome.guilty =
          Guilty::of(format_message("gradient of argument {} at {}", {entry_.argument, place()}),
                     expected, found, subject_.dtype);
    };
    judge(weighted_sum(u, moved.base().gradients).value, "", "the reverse rule");
    if (const auto forward = forward_slope_if_any(moved, u)) {
      ++outcome.comparisons;
      judge(forward->value, "forward-mode ", "the forward rule");
    }
  }

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
        {number_text(kink_.at, kFloat64), number_text(below / step), number_text(above / step),
         kink_.below, kink_.above});
  }
  double unit() const {
    return power_of_two_below(typical_size(on_kink_.drawn.arguments[entry_.argument].values));
  }
  std::string place() const {
    return coordinates(on_kink_.drawn.arguments[entry_.argument].argument.sizes, entry_.index);
  }
  /// "0.5", and "0.01 (0.00999999978 in float32)" where that is another number.
  std::string place_of(double at) const {
    if (is_exact()) return number_text(at, subject_.dtype);
    return format_message("{} ({} in {})",
                          {number_text(kink_.at, kFloat64), number_text(at, subject_.dtype),
                           name_of(subject_.dtype)});
  }

  const Subject &subject_, &on_kink_;
  const ArgumentEntry entry_;
  const notape_kink& kink_;
};

}  // namespace

bool has_foreign_kinks(const Subject& subject) {
  const ForeignCase* one = foreign_case_of(subject.drawn);
  if (!one || !subject.is_differentiable()) return false;
  for (std::size_t a : subject.real_arguments()) {
    const DrawnArgument& argument = subject.drawn.arguments[a];
    if (argument.values.empty()) continue;
    for (const notape_kink& kink : one->declaration->inputs[a].kinks)
      if (!numbers_on(kink.at, subject.dtype, argument.argument.domain).empty()) return true;
  }
  return false;
}

Outcome check_foreign_kinks(const Subject& subject) {
  const ForeignCase& one = *foreign_case_of(subject.drawn);
  Outcome outcome;
  for (std::size_t a : subject.real_arguments()) {
    const DrawnArgument& argument = subject.drawn.arguments[a];
    if (argument.values.empty()) continue;
    std::size_t asked = 0;
    for (const notape_kink& kink : one.declaration->inputs[a].kinks) {
      // A range that `shape` has narrowed may be without it.
      if (numbers_on(kink.at, subject.dtype, argument.argument.domain).empty()) continue;
      if (asked == kMostForeignKinks) break;
      const ArgumentEntry entry{
          a, keyed_bits(subject.drawn.key, kForeignKinkStream, asked) % argument.values.size()};
      ++asked;
      DrawnCase drawn = plain_copy(subject.drawn);
      value_at(drawn, entry) = kink.at;
      const bool exact = rounded(kink.at, subject.dtype) == kink.at;
      const Subject on_kink(subject.spec, drawn, exact ? subject.dtype : kFloat64, subject.device);
      KinkQuestion(subject, on_kink, entry, kink).ask(outcome);
      if (is_red(outcome.verdict)) return outcome;
    }
  }
  return outcome;
}

}  // namespace notape::verify
