#include "verify/checks/declared_kinks.h"

#include <algorithm>
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/bisection.h"
#include "verify/checks/opaque_reference.h"
#include "verify/numeric/judgement.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

constexpr uint32_t kStream = (1 << 24) + 3;

bool is_on_offer(const Argument& argument) {
  const Domain& domain = argument.domain;
  return std::any_of(domain.kinks.begin(), domain.kinks.end(),
                     [&](double kink) { return inside(kink, domain); });
}

/// One entry of the case on one of its kinks.
struct OnKink {
  DrawnCase drawn;
  Lane lane;
  double kink;
};
OnKink moved_onto(const Subject& subject, std::size_t which) {
  const auto lanes = lanes_of(subject, kStream, is_on_offer);
  const Lane lane = lanes[which % lanes.size()];
  const Domain& domain = subject.drawn.arguments[lane.argument].argument.domain;
  std::vector<double> kinks;
  std::copy_if(domain.kinks.begin(), domain.kinks.end(), std::back_inserter(kinks),
               [&](double kink) { return inside(kink, domain); });
  OnKink moved{plain_copy(subject.drawn), lane, kinks[which % kinks.size()]};
  moved.kink = rounded(moved.kink, subject.dtype);
  value_at(moved.drawn, lane) = moved.kink;
  return moved;
}

std::string text_of(Wide number) { return number_text(static_cast<double>(number), kFloat64); }

/// Compares the derivative by one entry, which lies on a kink, with the slopes on both sides.
void compare(const Subject& moved, const OnKink& place, Outcome& outcome) {
  const Direction u = one_hot(place.drawn, place.lane.argument, place.lane.entry);
  const MovedEntry entry = *only_entry(u);
  const Numbers v = unlike_numbers(moved);
  const EnableGradGuard recording;
  const Run run = moved.run(moved.inputs(), moved.output_tensor(v));
  const Numbers& gradient = run.gradients[place.lane.argument];
  const double got = gradient.empty() ? 0 : gradient[place.lane.entry];
  const Wide along = Wide(got) * Wide(entry.step);
  const Ladder ladder = opaque_ladder(moved, u, v);
  const LocalView view = look(ladder.samples, is_finite(along) ? along : Wide(0));
  ++outcome.comparisons;
  const bool smooth = view.shape == LocalShape::Smooth && ladder.slope.finite;
  if (view.shape != LocalShape::Kink && !smooth) {
    ++outcome.unresolved;
    return;
  }
  const Wide below = smooth ? ladder.slope.value : view.below;
  const Wide above = smooth ? ladder.slope.value : view.above;
  const Wide margin = (smooth ? Wide(kLadderFactor) * ladder.slope.error : view.widening) +
                      Wide(rounding_factor(moved.dtype) * epsilon_of(moved.dtype)) *
                          std::max({magnitude(along), magnitude(below), magnitude(above)});
  const Wide low = std::min(below, above), high = std::max(below, above);
  if (along >= low - margin && along <= high + margin) {
    const Wide size = std::max(magnitude(low), magnitude(high));
    if (size > 0)
      outcome.detectable = std::max(outcome.detectable, static_cast<double>(2 * margin / size));
    if (!smooth) {
      outcome.verdict = std::max(outcome.verdict, Verdict::Kink);
      outcome.reason = "declared";
    }
    return;
  }
  outcome.verdict = std::isfinite(got) ? Verdict::Fail : Verdict::Nonfinite;
  outcome.reason = "kink";
  outcome.message = format_message(
      "on the declared kink {} the derivative is {}, outside of the slopes {} and {} on its sides",
      {place.kink, number_text(got, moved.dtype), text_of(below / Wide(entry.step)),
       text_of(above / Wide(entry.step))});
  const auto nearest = static_cast<double>((along > high ? high : low) / Wide(entry.step));
  outcome.guilty = Guilty{"gradient of " + entry.text(moved), nearest, got,
                          ulps_between(nearest, got, moved.dtype)};
}

}  // namespace

bool has_declared_kinks(const Subject& subject) {
  return std::any_of(subject.real_arguments().begin(), subject.real_arguments().end(),
                     [&](std::size_t a) {
                       const DrawnArgument& drawn = subject.drawn.arguments[a];
                       return !drawn.values.empty() && is_on_offer(drawn.argument);
                     }) &&
         !subject.incoming().empty();
}

Outcome check_declared_kinks(const Subject& subject) {
  constexpr std::size_t kPlaces = 4;
  if (auto refusal = refusal_of_float64(subject)) return *refusal;
  Outcome outcome;
  const std::size_t first = keyed_bits(subject.drawn.key, kStream, 1) % 64;
  for (std::size_t i = 0; i < kPlaces && !is_red(outcome.verdict); ++i) {
    const OnKink place = moved_onto(subject, first + i);
    compare(Subject(subject.spec, place.drawn, subject.dtype, subject.device), place, outcome);
  }
  return outcome;
}

}  // namespace notape::verify
