// reverse, for operators without a reference: <J^T v, u> against a ladder over the operator's own
// values. Entries that lie on a kink are judged one by one: there the derivative must lie between
// the slopes of both sides; which convention it should follow, nobody has declared.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/additive.h"
#include "verify/checks/bisection.h"
#include "verify/checks/blame.h"
#include "verify/checks/directions_of.h"
#include "verify/checks/duals.h"
#include "verify/checks/entry_power.h"
#include "verify/checks/infinite_slopes.h"
#include "verify/checks/nearer_than_steps.h"
#include "verify/checks/opaque_judgement.h"
#include "verify/checks/opaque_reference.h"
#include "verify/checks/shared_questions.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// The entry in u that seems most to blame, alone.
Direction worst_part(const Subject& subject, const Direction& u) {
  return bisected(u, [&](const Direction& half) {
    const JudgedAlong judged = judge_along(subject, half);
    return magnitude(judged.reverse.value - Wide(judged.judgement.expected));
  });
}

/// Whether nothing is wrong with the entry that seems most to blame when it moves alone: a bend of
/// its, nearer than steps which the roundings of larger entries allow, looks like an error.
bool is_cleared_alone(const Subject& subject, const Direction& u) {
  if (only_entry(u)) return false;
  const JudgedAlong alone = judge_along(subject, worst_part(subject, u));
  return alone.judgement.view.shape == LocalShape::Kink ? verdict_on_kink(alone) == Verdict::Kink
                                                        : !is_red(alone.judgement.verdict);
}

/// The entry in u that is most to blame; none if errors of several cancel.
std::optional<Guilty> guilty_opaque_entry(const Subject& subject, const Direction& u) {
  const Direction part = worst_part(subject, u);
  const Judgement judged = judge_along(subject, part).judgement;
  if (judged.verdict != Verdict::Fail && judged.verdict != Verdict::Nonfinite) return {};
  const auto entry = only_entry(part);
  if (!entry) return {};
  const Numbers& gradient = subject.base().gradients[entry->argument];
  const double got = gradient.empty() ? 0 : gradient[entry->index];
  const double expected = judged.expected / entry->step;
  return Guilty::of("gradient of " + entry->text(subject), expected, got, subject.dtype);
}

std::string message_of(const JudgedAlong& judged) {
  const Judgement& judgement = judged.judgement;
  const auto got = static_cast<double>(judged.reverse.value);
  const auto number = [](auto value) { return number_text(static_cast<double>(value), kFloat64); };
  switch (judgement.view.shape) {
    case LocalShape::Jump:
      return "the value jumps at this point, so it has no derivative here";
    case LocalShape::Unbounded:
      return "the slope grows without bound at this point, so there is no derivative here";
    case LocalShape::Kink:
      return format_message(
          "this point is on a kink with slopes {} and {}; the gradient gives {}, outside of them",
          {number(judgement.view.below), number(judgement.view.above), number(got)});
    case LocalShape::Smooth:
    case LocalShape::Undecided:
      break;
  }
  return format_message(
      "along a direction the gradient gives {}, the numeric slope is {} (accepted: off by {})",
      {number(got), number(judgement.expected), judgement.radius});
}

/// Whether roundings on the way to the gradient are those of float32, and as large as its error.
std::string single_precision(const Subject& subject, const Direction& u,
                             const JudgedAlong& judged) {
  if (subject.dtype != kFloat64 || !modes_reach(subject.device)) return "";
  const auto gradients = [&] {
    const EnableGradGuard recording;
    const Run run = subject.run(subject.inputs(), subject.output_tensor(subject.incoming()));
    Numbers terms;
    for (std::size_t a = 0; a < u.parts.size(); ++a)
      for (std::size_t i = 0; i < std::min(u.parts[a].size(), run.gradients[a].size()); ++i)
        if (u.parts[a][i] != 0) terms.push_back(u.parts[a][i] * run.gradients[a][i]);
    return terms;
  };
  const Numbers spread = spread_over_modes(gradients, gradients());
  const double moved = std::accumulate(spread.begin(), spread.end(), 0.0);
  const auto size = static_cast<double>(judged.reverse.magnitude);
  const auto apart =
      static_cast<double>(magnitude(judged.reverse.value - Wide(judged.judgement.expected)));
  if (moved < 0x1p-30 * size || moved > 0x1p-16 * size || apart > 16 * moved) return "";
  return format_message(
      "float32 arithmetic on the way to the gradient, whose roundings move it by {}: the value is "
      "computed more exactly than that",
      {moved});
}

void explain(const Subject& subject, const Direction& u, const JudgedAlong& judged,
             Outcome& outcome) {
  const Judgement& judgement = judged.judgement;
  const auto got = static_cast<double>(judged.reverse.value);
  outcome.verdict = judgement.verdict == Verdict::Nonfinite ? Verdict::Nonfinite : Verdict::Fail;
  outcome.reason = "value";
  outcome.message = message_of(judged);
  outcome.rungs = judged.ladder.slope.rungs;
  if (!is_smooth(judgement.view)) {
    outcome.reason = name_of(judgement.view.shape);
    return;
  }
  outcome.guilty =
      guilty_opaque_entry(subject, u)
          .value_or(Guilty::of("directional derivative", judgement.expected, got, subject.dtype));
  outcome.blame =
      blame(subject, u, judged.reverse.value, Wide(judgement.expected), Wide(judgement.radius));
  if (const std::string single = single_precision(subject, u, judged); !single.empty())
    outcome.blame = single;
}

/// The directions without these entries.
std::vector<Direction> beside(const std::vector<Direction>& directions,
                              const std::vector<ArgumentEntry>& entries) {
  std::vector<Direction> result;
  for (const Direction& u : directions)
    if (Direction rest = without(u, entries); !is_still(rest)) result.push_back(std::move(rest));
  return result;
}

/// Then each of the entries alone.
std::vector<Direction> apart(const Subject& subject, const std::vector<Direction>& directions,
                             const std::vector<ArgumentEntry>& entries) {
  std::vector<Direction> result = beside(directions, entries);
  for (const ArgumentEntry& one : entries)
    result.push_back(one_hot(subject.drawn, one.argument, one.index));
  return result;
}

/// Nothing is claimed of a result without history that does not change.
bool is_nothing(const Subject& subject, const JudgedAlong& judged) {
  const std::vector<bool>& defined = subject.base().defined;
  return std::find(defined.begin(), defined.end(), true) == defined.end() &&
         judged.ladder.samples.constant();
}

/// An entry whose own relative error could have been larger is judged alone, too; this many.
double worth_of(ScalarType dtype) { return dtype != kFloat64 ? 1e-3 : 1e-8; }

/// What a direction of several entries tells of each. On a kink any slope between both sides may
/// stand, which may be the kink of one of them and an error in another.
Seen seen_along(const Direction& u, const Judgement& judgement, Verdict verdict) {
  Seen seen{judgement.detectable, judgement.detectable_relative, judgement.flat};
  if (verdict != Verdict::Kink || only_entry(u)) return seen;
  const LocalView& view = judgement.view;
  const auto gap = static_cast<double>(magnitude(view.above - view.below));
  seen.hidden += gap;
  seen.relative +=
      gap / static_cast<double>(std::max(magnitude(view.above), magnitude(view.below)));
  return seen;
}

/// An error of that size may be there unseen. Where nothing was believed, what the gradient is off
/// by may be one.
double hidden_from(const Direction& u, const JudgedAlong& judged, Verdict verdict) {
  const Judgement& judgement = judged.judgement;
  if (verdict == Verdict::Pass || verdict == Verdict::Kink)
    return seen_along(u, judgement, verdict).hidden;
  if (!is_smooth(judgement.view)) return HUGE_VAL;
  const auto apart =
      static_cast<double>(magnitude(judged.reverse.value - Wide(judgement.expected)));
  return std::isfinite(apart) ? std::max(judgement.detectable, apart) : HUGE_VAL;
}

/// What is not right along u, in steps within each entry's own size; unless nothing moves in them.
std::pair<Direction, JudgedAlong> judge_within_reach(const Subject& subject, const Direction& u) {
  JudgedAlong judged = judge_along(subject, u);
  if (judged.judgement.verdict == Verdict::Pass) return {u, std::move(judged)};
  if (const auto nearer = within_own_size(subject.drawn, u))
    if (JudgedAlong again = judge_along(subject, *nearer); !again.ladder.samples.constant())
      return {*nearer, std::move(again)};
  return {u, std::move(judged)};
}

void compare_opaque_along(const Subject& subject, const std::vector<Direction>& directions,
                          EntryPower& entries, Outcome& outcome) {
  int which = -1;
  double weakest = 0;
  for (const Direction& wanted : directions) {
    ++which;
    const auto [u, judged] = judge_within_reach(subject, wanted);
    if (is_nothing(subject, judged)) continue;
    ++outcome.comparisons;
    const Judgement& judgement = judged.judgement;
    if (outcome.weakest < 0) outcome.weakest = which;
    const Verdict verdict =
        judgement.view.shape == LocalShape::Kink ? verdict_on_kink(judged) : judgement.verdict;
    if (const double hidden = hidden_from(u, judged, verdict); hidden > 0)
      entries.compared(u, hidden);
    if (verdict == Verdict::Kink || verdict == Verdict::Pass)
      entries.seen(u, seen_along(u, judgement, verdict));
    if (verdict == Verdict::Kink) {
      outcome.verdict = Verdict::Kink;
      outcome.reason = "undeclared";
    } else if (verdict == Verdict::Fail && judgement.view.shape == LocalShape::Kink &&
               !only_entry(u)) {
      ++outcome.unresolved;  // kinks of several entries add up to slopes that are nobody's
    } else if (verdict == Verdict::Fail && judgement.view.shape == LocalShape::Kink &&
               is_kink_of_a_tie(subject, u)) {
      ++outcome.unresolved;
    } else if (verdict == Verdict::Fail && judged.ladder.one_sided && !only_entry(u)) {
      ++outcome.unresolved;  // steps that are right for one entry lead another out of the domain
    } else if (verdict == Verdict::Unresolved || judgement.reason == "domain" ||
               (judgement.view.shape == LocalShape::Jump &&
                !jump_persists(subject, u, judged.ladder.samples)) ||
               (judgement.view.shape == LocalShape::Unbounded &&
                slope_settles(subject, u, static_cast<double>(judged.reverse.value)))) {
      ++outcome.unresolved;
    } else if (verdict == Verdict::Fail && is_smooth(judgement.view) &&
               is_cleared_alone(subject, u)) {
      ++outcome.unresolved;
    } else if (is_red(verdict)) {
      explain(subject, u, judged, outcome);
      outcome.weakest = which;
      return;
    } else if (judgement.detectable_relative > weakest) {
      weakest = judgement.detectable_relative;
      outcome.weakest = which;
    }
  }
}

Outcome check_along(const Subject& subject, const std::vector<Direction>& directions,
                    const std::vector<ArgumentEntry>& left_out = {}) {
  Outcome outcome;
  EntryPower entries(subject);
  compare_opaque_along(subject, directions, entries, outcome);
  if (is_red(outcome.verdict) || outcome.comparisons == 0) return outcome;
  std::vector<Direction> alone;
  for (const ArgumentEntry& one : entries.unseen(worth_of(subject.dtype))) {
    const Direction u = one_hot(subject.drawn, one.argument, one.index);
    if (alone.size() < kMostOpaqueAlone && !is_still(without(u, left_out))) alone.push_back(u);
  }
  const int weakest = outcome.weakest;
  compare_opaque_along(subject, alone, entries, outcome);
  outcome.weakest = is_red(outcome.verdict) ? -1 : weakest;  // those are not of directions_of()
  if (!is_red(outcome.verdict)) entries.conclude(subject.power_gate(), outcome);
  return outcome;
}

/// Along directions that leave the `infinite` entries alone.
Outcome check_finite_entries(const Subject& subject, const std::vector<Direction>& directions,
                             const std::vector<ArgumentEntry>& infinite) {
  const Outcome outcome = check_along(subject, directions, infinite);
  if (outcome.verdict == Verdict::Pass && outcome.unresolved == 0) return outcome;
  // The slopes of several kinks at once, added up with signs, need not look like any.
  std::vector<ArgumentEntry> singular = singular_entries(subject);
  std::erase_if(singular, [&](const ArgumentEntry& one) {
    return std::find(infinite.begin(), infinite.end(), one) != infinite.end();
  });
  if (singular.empty() && outcome.reason != "value" && is_red(outcome.verdict))
    return check_along(subject, beside(own_steps(subject), infinite), infinite);
  if (singular.empty()) return outcome;
  Outcome result = check_along(subject, apart(subject, directions, singular), infinite);
  result.weakest = -1;  // it is none of directions_of()
  return result;
}

Outcome check_all_directions(const Subject& subject) {
  if (auto refusal = refusal_of_float64(subject)) return *refusal;
  if (is_nan_inside_domain(subject))  // `finite` says so; a NaN that stays one has no slope
    return {.comparisons = 1, .unresolved = 1};
  const std::vector<ArgumentEntry> infinite = infinite_entries(subject);
  if (infinite.empty()) return check_finite_entries(subject, directions_of(subject), {});
  Outcome of_infinite;
  for (const ArgumentEntry& one : infinite) {
    judge_infinite(subject, one, of_infinite);
    if (is_red(of_infinite.verdict)) return of_infinite;
  }
  Outcome outcome =
      check_finite_entries(subject, beside(directions_of(subject), infinite), infinite);
  outcome.comparisons += of_infinite.comparisons;
  if (of_infinite.unresolved > 0) {
    outcome.undecided.entries += of_infinite.unresolved;
    outcome.undecided.slope = HUGE_VAL;
    outcome.unresolved = outcome.comparisons;
  }
  outcome.weakest = -1;  // it is none of directions_of()
  return outcome;
}

/// The gradient, but for entries along which nothing has a derivative.
Outcome without_entries(const Subject& subject, const std::vector<ArgumentEntry>& entries) {
  Outcome outcome = check_along(subject, beside(directions_of(subject), entries), entries);
  outcome.weakest = -1;
  if (is_red(outcome.verdict)) return outcome;
  outcome.verdict = Verdict::Kink;
  outcome.reason = "undeclared";
  outcome.message = format_message(
      "{} entries tie here, and slopes along them do not add up: there is no derivative by them",
      {entries.size()});
  ++outcome.comparisons;
  return outcome;
}

}  // namespace

Outcome check_opaque_reverse(const Subject& subject) {
  Outcome outcome = check_all_directions(subject);
  if (outcome.verdict != Verdict::Fail) return outcome;
  const std::vector<ArgumentEntry> entries = entries_without_derivative(subject);
  return entries.empty() ? outcome : without_entries(subject, entries);
}

bool is_wrong_along(const Subject& subject, const Direction& u) {
  const JudgedAlong judged = judge_along(subject, u);
  return judged.judgement.verdict == Verdict::Fail && is_smooth(judged.judgement.view) &&
         !judged.ladder.one_sided;
}

Evidence opaque_reverse_evidence(const Subject& subject, int which) {
  const Direction u = directions_of(subject).at(static_cast<std::size_t>(which));
  const JudgedAlong judged = judge_along(subject, u, /*evidence=*/true);
  const Judgement& judgement = judged.judgement;
  return {.along = describe(u, subject),
          .legs = {{"reverse", judged.reverse.value, Wide(judgement.radius)},
                   leg_of("forward", [&] { return forward_slope(subject, u).value; }),
                   {"numeric", Wide(judgement.expected), Wide(judgement.error),
                    judged.ladder.slope.finite ? "" : "the value is not finite around the point"}},
          .scale = judged.reverse.magnitude,
          .radius = Wide(judgement.radius),
          .rungs = judged.ladder.slope.rungs};
}

}  // namespace notape::verify
