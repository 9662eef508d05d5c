// reverse: <J^T v, u> against the slope of phi(t) = <v, f(x + t u)>, whose f is the reference: its
// exact slope where a few values of the operator itself confirm that, else a ladder in 113 bits.
// Accepted iff |g - slope| <= 10 e + 8 m + c eps S, with e the slope's own error, m the noise of
// the gradient under tiny moves of x, S = sum |u_j| |(J^T v)_j|.
#include <rapidcheck/Random.h>
#include <cmath>

#include "verify/checks/bisection.h"
#include "verify/checks/blame.h"
#include "verify/checks/directions_of.h"
#include "verify/checks/duals.h"
#include "verify/checks/entry_power.h"
#include "verify/checks/exact_slope.h"
#include "verify/checks/known_loss.h"
#include "verify/checks/neighbours.h"
#include "verify/checks/precision.h"
#include "verify/checks/shared_questions.h"
#include "verify/checks/subject.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// Whether the operator ever leaves out the gradient of this argument although it has entries.
bool may_be_undefined(const Subject& subject, std::size_t argument) {
  for (int number = 0; number < kSiblings; ++number) {
    ChoiceDraw draw(rc::Random(static_cast<uint64_t>(number)));
    const DrawnCase drawn = draw_case(subject.spec, draw, subject.dtype);
    if (argument >= drawn.arguments.size() || drawn.arguments[argument].values.empty()) continue;
    const Subject sibling(subject.spec, drawn, subject.dtype, subject.device);
    if (sibling.is_differentiable() && !sibling.base().defined[argument]) return true;
  }
  return false;
}

struct Judged {
  Slope numeric;
  Sample reverse;
  Wide radius = 0;
  Wide declared = 0;       ///< of it, what the row says is lost, which is no mistake
  bool confirmed = false;  ///< by a few values of the operator itself
  Wide distance() const { return magnitude(reverse.value - numeric.value); }
  bool accepted() const { return distance() <= radius; }
  Wide power() const {
    return reverse.magnitude > 0 ? (radius + numeric.error) / reverse.magnitude : Wide(0);
  }
};

/// <J^T v, u>
Measurement along(const Subject& here, const Direction& u) {
  return {.native =
              [&u](const Subject& subject, const NoisePoint& point) {
                const Run run =
                    subject.run(subject.inputs(kAllArguments, Placement::Contiguous, &point.values),
                                subject.output_tensor(point.incoming));
                return weighted_sum(u, run.gradients).value;
              },
          .numeric = [&](const WideList& x,
                         const Numbers& v) { return reference_slope(here, u, x, v).value; }};
}

/// S: the sizes of <J^T v, u>'s terms. In 16 bits rules round between their operators what may
/// cancel later, so that the terms of <v, J u> count as well.
Wide terms_behind(const Subject& subject, const Direction& u, const Sample& reverse) {
  if (!is_reduced_floating_point(subject.dtype)) return reverse.magnitude;
  const auto exact = exact_slope(subject, u, subject.wide(), subject.incoming());
  return exact ? std::max(reverse.magnitude, exact->value.magnitude) : reverse.magnitude;
}

Judged judge(const Subject& subject, const Direction& u, Slope numeric) {
  Judged result{std::move(numeric), weighted_sum(u, subject.base().gradients)};
  result.reverse.magnitude = terms_behind(subject, u, result.reverse);
  const double noise = excused_noise(subject, along(subject, u), subject.projected_noise(u),
                                     static_cast<double>(result.reverse.magnitude));
  result.radius =
      Wide(kLadderFactor) * result.numeric.error + Wide(kNoiseFactor * noise) +
      Wide(rounding_factor(subject.dtype) * epsilon_of(subject.dtype)) * result.reverse.magnitude +
      Wide(smallest_of(subject.dtype)) +
      subject.allowance(u, subject.likely_size(u, result.numeric.value));
  result.declared = known_loss(subject, subject.incoming(), {&u});
  result.radius += result.declared;
  return result;
}

/// As cheaply as is sure.
Judged judge_quickly(const Subject& subject, const Direction& u) {
  auto exact = confirmed_slope(subject, u);
  const bool confirmed = exact.has_value();
  Judged judged =
      judge(subject, u, confirmed ? std::move(*exact) : ladder_slope(subject, u, kQuick));
  judged.confirmed = confirmed;
  return judged;
}

/// With the full ladder, and with noise that only the other dtype shows if that is still not
/// enough.
Judged judge_thoroughly(const Subject& subject, const Direction& u) {
  Judged judged = judge(subject, u, ladder_slope(subject, u, kThorough));
  if (!judged.accepted())
    judged.radius += Wide(kNoiseFactor * foretold_noise(subject, along(subject, u)));
  if (judged.accepted()) return judged;
  for (const DrawnCase& drawn : neighbours_in_float32(subject)) {
    const Subject moved(subject.spec, drawn, subject.dtype, subject.device);
    Judged there = judge(subject, u, ladder_slope(moved, u, kThorough));
    if (there.accepted()) return there;
  }
  return judged;
}

/// The entry in u that is most to blame; none if errors of several cancel.
std::optional<Guilty> guilty_reverse_entry(const Subject& subject, const Direction& u) {
  const Direction part =
      bisected(u, [&](const Direction& half) { return judge_quickly(subject, half).distance(); });
  const Judged judged = judge_quickly(subject, part);
  const auto entry = only_entry(part);
  if (!entry || !judged.numeric.finite || judged.accepted()) return {};
  const Numbers& gradient = subject.base().gradients[entry->argument];
  const auto expected = static_cast<double>(judged.numeric.value / Wide(entry->step));
  const double got = gradient.empty() ? 0 : gradient[entry->index];
  return Guilty::of("gradient of " + entry->text(subject), expected, got, subject.dtype);
}

/// Undefined stands for zero, except that a gradient without entries is a tensor without entries.
std::optional<Outcome> wrong_form(const Subject& subject) {
  for (std::size_t a : subject.real_arguments()) {
    const Run& run = subject.base();
    const std::size_t entries = subject.drawn.arguments[a].values.size();
    if (!run.defined[a] && entries == 0 && !may_be_undefined(subject, a))
      return Outcome::of(
          Verdict::Fail, "defined",
          format_message("the gradient of argument {}, which has no entries, is undefined", {a}));
    if (run.defined[a] && run.gradients[a].size() != entries)
      return Outcome::of(Verdict::Fail, "shape",
                         format_message("the gradient of argument {} has {} entries instead of {}",
                                        {a, run.gradients[a].size(), entries}));
  }
  return {};
}

/// On a kink or jump the slope to both sides, which is what references are differenced for, need
/// not be anybody's derivative. None if the point is on neither.
std::optional<Outcome> verdict_on_kink(const Subject& subject) {
  const Outcome outcome = check_opaque_reverse(subject);
  const bool smooth = !is_red(outcome.verdict) || outcome.reason == "value";
  if (outcome.verdict != Verdict::Kink && smooth) return {};
  return outcome;
}

/// Whether the derivative is the exact slope, whatever steps say.
bool agrees_with_duals(const Subject& subject, const Direction& u, const Judged& judged) {
  const auto exact = exact_slope(subject, u, subject.wide(), subject.incoming());
  const Wide own = judged.radius - Wide(kLadderFactor) * judged.numeric.error;
  return exact && exact->is_sure() &&
         magnitude(judged.reverse.value - exact->value.value) <= own + exact->error();
}

void explain(const Subject& subject, const Direction& u, const Judged& judged, Outcome& outcome) {
  const auto expected = static_cast<double>(judged.numeric.value);
  const auto got = static_cast<double>(judged.reverse.value);
  outcome.verdict = std::isfinite(got) ? Verdict::Fail : Verdict::Nonfinite;
  outcome.reason = "value";
  outcome.message = format_message(
      "along a direction the gradient gives {}, the numeric slope is {} (accepted: off by {})",
      {number_text(got, kFloat64), number_text(expected, kFloat64),
       static_cast<double>(judged.radius)});
  outcome.rungs = judged.numeric.rungs;
  outcome.guilty =
      guilty_reverse_entry(subject, u)
          .value_or(Guilty::of("directional derivative", expected, got, subject.dtype));
  outcome.blame = blame(subject, u, judged.reverse.value, judged.numeric.value, judged.radius);
}

/// What is said of the whole case if it is on a kink.
std::optional<Outcome> compare_reverse_along(const Subject& subject,
                                             const std::vector<Direction>& directions,
                                             EntryPower& entries, Outcome& outcome) {
  int which = -1;
  double weakest = 0;
  for (const Direction& u : directions) {
    ++which;
    ++outcome.comparisons;
    Judged judged = judge_quickly(subject, u);
    if (!judged.accepted() || judged.power() > Wide(subject.power_gate()))
      judged = judge_thoroughly(subject, u);  // not confirmed
    // Steps of one small entry among large ones say little; dual numbers need none.
    if (judged.accepted() && judged.power() > Wide(subject.power_gate()) && only_entry(u))
      if (const auto exact = exact_slope(subject, u, subject.wide(), subject.incoming());
          exact && exact->is_sure()) {
        Slope slope;
        slope.value = exact->value.value;
        slope.error = exact->error();
        slope.finite = true;
        if (const Judged by_duals = judge(subject, u, std::move(slope)); by_duals.accepted())
          judged = by_duals;
      }
    const Wide power = judged.power();
    if (outcome.weakest < 0) outcome.weakest = which;
    const bool unknown = is_finite(judged.reverse.value) && !is_finite(judged.radius);
    if (!judged.numeric.finite || unknown) {
      ++outcome.unresolved;
    } else if (!judged.accepted()) {
      if (agrees_with_duals(subject, u, judged)) {
        ++outcome.unresolved;  // and the steps went wrong
        continue;
      }
      if (is_on_branch(subject) || bends_here(subject, u))
        if (auto singular = verdict_on_kink(subject)) return singular;
      explain(subject, u, judged, outcome);
      outcome.weakest = which;
      return {};
    } else if (!judged.confirmed && bends_here(subject, u)) {
      // The middle of the slopes on both sides, which steps to both sides agree with.
      if (auto singular = verdict_on_kink(subject)) return singular;
      ++outcome.unresolved;
    } else if (const bool is_weak = power > Wide(subject.power_gate());
               is_weak && (!only_entry(u) || power > Wide(kOpaquePowerGate))) {
      ++outcome.unresolved;
    } else {
      // (What little is known of an entry alone is more than what directions of many tell of it.)
      const Wide hidden = judged.radius - judged.declared + judged.numeric.error;
      const Wide size = judged.reverse.magnitude;
      entries.seen(
          u, {static_cast<double>(hidden), size > 0 ? static_cast<double>(hidden / size) : 0});
      outcome.unresolved += is_weak;
      if (is_weak || power <= Wide(weakest)) continue;
      weakest = static_cast<double>(power);
      outcome.weakest = which;
    }
  }
  return {};
}

}  // namespace

Outcome check_reverse(const Subject& subject) {
  if (auto wrong = wrong_form(subject)) return *wrong;
  if (subject.is_opaque()) return check_opaque_reverse(subject);
  Outcome outcome;
  EntryPower entries(subject);
  if (auto singular = compare_reverse_along(subject, directions_of(subject), entries, outcome))
    return *singular;
  if (is_red(outcome.verdict)) return outcome;
  const Outcome before = outcome;
  const auto alone = entries.unseen_alone(subject.drawn, subject.power_gate());
  if (auto singular = compare_reverse_along(subject, alone, entries, outcome)) return *singular;
  entries.keep_counts(before, outcome);
  return outcome;
}

Evidence reverse_evidence(const Subject& subject, int which) {
  if (subject.is_opaque()) return opaque_reverse_evidence(subject, which);
  const Direction u = directions_of(subject).at(static_cast<std::size_t>(which));
  const Judged judged = judge_thoroughly(subject, u);
  return {.along = describe(u, subject),
          .legs = {{"reverse", judged.reverse.value, judged.radius},
                   leg_of("forward", [&] { return forward_slope(subject, u).value; }),
                   {"numeric", judged.numeric.value, judged.numeric.error,
                    judged.numeric.finite ? "" : "the reference is not finite around the point"},
                   exact_leg(subject, u)},
          .scale = judged.reverse.magnitude,
          .radius = judged.radius,
          .rungs = judged.numeric.rungs};
}

}  // namespace notape::verify
