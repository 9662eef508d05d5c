// forward-mode: |<v, J u> - <J^T v, u>| <= 8 eps sqrt(d) (sum |v_i| |(J u)_i| + sum |u_j| |(J^T
// v)_j|) plus noise. No step, so it says that the two rules agree, not that they are right:
// `reverse` stands beside it.
#include <algorithm>
#include <cmath>

#include "verify/checks/bisection.h"
#include "verify/checks/directions_of.h"
#include "verify/checks/duals.h"
#include "verify/checks/entry_power.h"
#include "verify/checks/infinite_slopes.h"
#include "verify/checks/opaque_reference.h"
#include "verify/checks/sides.h"
#include "verify/numeric/noise.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// The noise in <v, J u> - <J^T v, u>.
double residual_noise(const Subject& subject, const Direction& u, Wide residual) {
  double samples[kNoiseSamples];
  for (std::size_t k = 0; k < kNoiseSamples; ++k) {
    const NoisePoint point = noise_point(subject.drawn, subject.incoming(), subject.dtype, k);
    const Wide forward = forward_slope(subject, u, &point).value;
    const Wide reverse = weighted_sum(u, subject.noise_runs()[k].gradients).value;
    samples[k] = static_cast<double>(forward - reverse - residual);
  }
  return subject.noise_fit()(samples);
}

/// How far <v, J u> may be from <J^T v, u>.
Wide radius_of(const Subject& subject, const Direction& u, const Sample& forward,
               const Sample& reverse) {
  const auto depth =
      std::max(subject.real_entries(), static_cast<int64_t>(subject.incoming().size()));
  const double bound = 8 * epsilon_of(subject.dtype) * std::sqrt(static_cast<double>(depth));
  return Wide(bound) * (forward.magnitude + reverse.magnitude) +
         Wide(kNoiseFactor * residual_noise(subject, u, forward.value - reverse.value)) +
         Wide(smallest_of(subject.dtype));
}

std::string blame(const Subject& subject, const Direction& u, Wide forward, Wide reverse) {
  const Slope numeric = numeric_slope(subject, u, kQuick);
  const Wide forward_off = magnitude(forward - numeric.value),
             reverse_off = magnitude(reverse - numeric.value);
  if (!numeric.finite || forward_off == reverse_off || !is_finite(forward_off - reverse_off))
    return "";
  return forward_off < reverse_off
             ? "the reverse rule: the forward rule is nearer to the numeric slope"
             : "the forward rule: the reverse rule is nearer to the numeric slope";
}

/// The entry along which the two modes differ most.
std::optional<Guilty> guilty_forward_entry(const Subject& subject, const Direction& u) {
  const auto both = [&](const Direction& along) {
    return std::pair(forward_slope(subject, along).value,
                     weighted_sum(along, subject.base().gradients).value);
  };
  const Direction part = bisected(u, [&](const Direction& half) {
    const auto [forward, reverse] = both(half);
    return magnitude(forward - reverse);
  });
  const auto entry = only_entry(part);
  if (!entry) return {};
  const auto [forward, reverse] = both(part);
  const double expected = static_cast<double>(reverse) / entry->step;
  const double got = static_cast<double>(forward) / entry->step;
  return Guilty::of("derivative by " + entry->text(subject) + " (forward against reverse)",
                    expected, got, subject.dtype);
}

/// Where derivatives cancel, at equal logits, what is left of them are roundings of numbers inside,
/// of which nothing is known but that they may be of size 1.
Wide roundings_inside(const Subject& subject) {
  if (!subject.is_opaque()) return 0;
  double terms = 0;
  for (double one : subject.incoming()) terms += std::abs(one);
  return Wide(rounding_factor(subject.dtype) * epsilon_of(subject.dtype) * terms);
}

/// An error of that size relative to the slopes of longer steps: at a stationary point there is
/// nothing else to compare it with. Infinite if it is not small beside them, either.
Wide of_steepest(const Subject& subject, const Direction& u, Wide error) {
  const Wide steepest = subject.is_opaque()
                            ? opaque_ladder(subject, u, subject.incoming()).samples.steepest_seen()
                            : Wide(0);
  return error <= Wide(kSmallBesideSteepest) * steepest ? error / steepest : Wide(HUGE_VAL);
}

void fail(const Subject& subject, const Direction& u, Wide forward, Wide reverse,
          Outcome& outcome) {
  const auto expected = static_cast<double>(reverse), got = static_cast<double>(forward);
  outcome.verdict =
      std::isfinite(got) || !std::isfinite(expected) ? Verdict::Fail : Verdict::Nonfinite;
  outcome.reason = "adjoint";
  outcome.message = "the forward and the reverse derivative differ";
  outcome.guilty = guilty_forward_entry(subject, u)
                       .value_or(Guilty::of("directional derivative (forward against reverse)",
                                            expected, got, subject.dtype));
  outcome.blame = blame(subject, u, forward, reverse);
}

/// On a kink the forward rule may take another side than the reverse one, and nothing beyond both:
/// the entry there along which it is, if any.
std::optional<Outcome> fault_on_kink(const Subject& subject) {
  const Numbers v = unlike_numbers(subject);
  const NoisePoint here{values_of(subject.drawn), v};
  for (const ArgumentEntry& one : singular_entries(subject)) {
    const Direction u = one_hot(subject.drawn, one.argument, one.index);
    const MovedEntry entry = *only_entry(u);
    const Wide forward = forward_slope(subject, u, &here).value;
    const auto sides = sides_of(subject, u, v, forward, subject.dtype);
    if (!sides || !sides->kink || sides->hold(forward)) continue;
    const auto expected = static_cast<double>(sides->nearest(forward) / Wide(entry.step));
    const auto got = static_cast<double>(forward / Wide(entry.step));
    Outcome fault = Outcome::of(
        std::isfinite(got) ? Verdict::Fail : Verdict::Nonfinite, "kink",
        format_message(
            "on a kink the forward derivative is {}, outside of the slopes {} and {} on "
            "its sides",
            {number_text(got, subject.dtype), static_cast<double>(sides->below / Wide(entry.step)),
             static_cast<double>(sides->above / Wide(entry.step))}));
    fault.blame = "the forward rule";
    fault.guilty = Guilty::of("derivative by " + entry.text(subject), expected, got, subject.dtype);
    return fault;
  }
  return {};
}

void compare_forward_along(const Subject& subject, const std::vector<Direction>& directions,
                           EntryPower& entries, Outcome& outcome) {
  const bool infinite = !infinite_entries(subject).empty();
  int which = -1;
  double weakest = 0;
  for (const Direction& u : directions) {
    ++which;
    const Sample forward = forward_slope(subject, u);
    const Sample reverse = weighted_sum(u, subject.base().gradients);
    const Wide scale = forward.magnitude + reverse.magnitude;
    const Wide residual = forward.value - reverse.value;
    const Wide radius = radius_of(subject, u, forward, reverse);
    ++outcome.comparisons;
    if (outcome.weakest < 0) outcome.weakest = which;
    // Tangents overflow where entries lie hundreds of decades apart: forward mode has no wider
    // type.
    const bool overflows = !std::isfinite(static_cast<double>(reverse.magnitude));
    if (!is_finite(forward.value) && (overflows || infinite)) {
      ++outcome.unresolved;  // reverse says what is wrong with that; zero times infinity is NaN
      continue;
    }
    if (!(magnitude(residual) <= radius)) {
      if (is_singular(subject)) {  // on a tie the convention depends on which arguments move
        if (auto fault = fault_on_kink(subject)) {
          fault->comparisons = outcome.comparisons;
          fault->weakest = which;
          outcome = *std::move(fault);
          return;
        }
        outcome.verdict = Verdict::Kink;
        outcome.reason = "undeclared";
        continue;
      }
      if (magnitude(residual) <= roundings_inside(subject)) {
        ++outcome.unresolved;
        continue;
      }
      outcome.weakest = which;
      fail(subject, u, forward.value, reverse.value, outcome);
      return;
    }
    Wide power = scale > 0 ? radius / scale : Wide(0);
    if (power > Wide(subject.power_gate()))
      power = std::min(power, of_steepest(subject, u, radius));
    const bool is_weak = power > Wide(subject.power_gate());
    outcome.unresolved += is_weak;
    if (is_weak && (!only_entry(u) || power > Wide(kOpaquePowerGate))) continue;
    // (What little is known of an entry alone is more than what directions of many tell of it.)
    entries.seen(u, {static_cast<double>(radius), static_cast<double>(power)});
    if (is_weak || power <= Wide(weakest)) continue;
    weakest = static_cast<double>(power);
    outcome.weakest = which;
  }
}

}  // namespace

Outcome check_forward_mode(const Subject& subject) {
  Outcome outcome;
  EntryPower entries(subject);
  compare_forward_along(subject, directions_of(subject), entries, outcome);
  if (is_red(outcome.verdict)) return outcome;
  const Outcome before = outcome;
  const auto alone = entries.unseen_alone(subject.drawn, power_gate(subject.dtype));
  compare_forward_along(subject, alone, entries, outcome);
  entries.keep_counts(before, outcome);
  return outcome;
}

Evidence forward_mode_evidence(const Subject& subject, int which) {
  const Direction u = directions_of(subject).at(static_cast<std::size_t>(which));
  const Sample forward = forward_slope(subject, u);
  const Sample reverse = weighted_sum(u, subject.base().gradients);
  const Wide radius = radius_of(subject, u, forward, reverse);
  const Slope numeric = numeric_slope(subject, u, kThorough);
  return {.along = describe(u, subject),
          .legs = {{"forward", forward.value, radius},
                   {"reverse", reverse.value, radius},
                   {"numeric", numeric.value, numeric.error,
                    numeric.finite ? "" : "the reference is not finite around the point"}},
          .scale = forward.magnitude + reverse.magnitude,
          .radius = radius,
          .rungs = numeric.rungs};
}

}  // namespace notape::verify
