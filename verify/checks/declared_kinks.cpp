#include "verify/checks/declared_kinks.h"

#include <algorithm>
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/bisection.h"
#include "verify/checks/duals.h"
#include "verify/checks/opaque_reference.h"
#include "verify/checks/rounded_kink.h"
#include "verify/checks/sides.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

constexpr uint32_t kDeclaredKinkStream = (1 << 24) + 3;

bool is_on_offer(const Argument& argument) {
  const Domain& domain = argument.domain;
  return std::any_of(domain.kinks.begin(), domain.kinks.end(),
                     [&](double kink) { return inside(kink, domain); });
}

/// One entry of the case on one of its kinks.
struct OnKink {
  DrawnCase drawn;
  ArgumentEntry entry;
  double kink;   ///< as declared
  double value;  ///< a number of the dtype on it, or beside it where there is none
};
OnKink moved_onto(const Subject& subject, std::size_t which) {
  const auto entries = entries_where(subject, kDeclaredKinkStream, is_on_offer);
  const ArgumentEntry entry = entries[which % entries.size()];
  const Domain& domain = subject.drawn.arguments[entry.argument].argument.domain;
  std::vector<double> kinks;
  std::copy_if(domain.kinks.begin(), domain.kinks.end(), std::back_inserter(kinks),
               [&](double kink) { return inside(kink, domain); });
  const double kink = kinks[which % kinks.size()];
  const std::vector<double> numbers = numbers_on(kink, subject.dtype, domain);
  OnKink moved{plain_copy(subject.drawn), entry, kink,
               numbers.empty() ? rounded(kink, subject.dtype) : numbers[0]};
  value_at(moved.drawn, entry) = moved.value;
  return moved;
}

/// What one of the modes says of the derivative by one entry, which lies on a kink.
struct KinkClaim {
  double derivative;
  const char* mode;   ///< "", "forward-mode "
  const char* blame;  ///< the rule behind it
};

/// A function without forward mode has one claim only.
std::vector<KinkClaim> claims_of(const Subject& moved, const OnKink& place, const Direction& u,
                                 double step, const Numbers& v) {
  const EnableGradGuard recording;
  const Run run = moved.run(moved.inputs(), moved.output_tensor(v));
  const Numbers& gradient = run.gradients[place.entry.argument];
  std::vector<KinkClaim> claims = {
      {gradient.empty() ? 0 : gradient[place.entry.index], "", "the reverse rule"}};
  const NoisePoint here{values_of(place.drawn), v};
  if (const auto forward = forward_slope_if_any(moved, u, &here))
    claims.push_back(
        {static_cast<double>(forward->value) / step, "forward-mode ", "the forward rule"});
  return claims;
}

/// Compares the derivative by one entry, which lies on a kink, with the slopes on both sides.
void compare(const Subject& moved, const OnKink& place, Outcome& outcome) {
  const Direction u = one_hot(place.drawn, place.entry.argument, place.entry.index);
  const MovedEntry entry = *only_entry(u);
  const Numbers v = unlike_numbers(moved);
  // Beside a kink that float32 has no number for, one side is far longer than the other.
  DrawnCase exact = place.drawn;
  value_at(exact, place.entry) = place.kink;
  const Subject on_kink(moved.spec, exact, place.kink == place.value ? moved.dtype : kFloat64,
                        moved.device);
  for (const KinkClaim& claim : claims_of(moved, place, u, entry.step, v)) {
    const Wide along = Wide(claim.derivative) * Wide(entry.step);
    const auto sides = sides_of(on_kink, u, v, along, moved.dtype);
    ++outcome.comparisons;
    if (!sides) {
      ++outcome.unresolved;
      continue;
    }
    if (sides->hold(along)) {
      const Wide size = std::max(magnitude(sides->low()), magnitude(sides->high()));
      if (size > 0)
        outcome.detectable =
            std::max(outcome.detectable, static_cast<double>(2 * sides->margin / size));
      if (sides->kink) {
        outcome.verdict = std::max(outcome.verdict, Verdict::Kink);
        outcome.reason = "declared";
      }
      continue;
    }
    const double got = claim.derivative;
    outcome.verdict = std::isfinite(got) ? Verdict::Fail : Verdict::Nonfinite;
    outcome.reason = "kink";
    outcome.message = format_message(
        "on the declared kink {} the {}derivative is {}, outside of the slopes {} and {} on its "
        "sides",
        {place.kink, claim.mode, number_text(got, moved.dtype),
         number_text(sides->below / Wide(entry.step)),
         number_text(sides->above / Wide(entry.step))});
    outcome.blame = claim.blame;
    const auto nearest = static_cast<double>(sides->nearest(along) / Wide(entry.step));
    outcome.guilty = Guilty::of("gradient of " + entry.text(moved), nearest, got, moved.dtype);
    return;
  }
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
  if (auto refusal = refusal_of_float64(subject)) return *refusal;
  Outcome outcome;
  const std::size_t first = keyed_bits(subject.drawn.key, kDeclaredKinkStream, 1) % 64;
  for (std::size_t i = 0; i < kKinkPlaces && !is_red(outcome.verdict); ++i) {
    const OnKink place = moved_onto(subject, first + i);
    compare(Subject(subject.spec, place.drawn, subject.dtype, subject.device), place, outcome);
  }
  return outcome;
}

}  // namespace notape::verify
