// second-order: the gradient is a function of x and of the incoming gradient v, and its own
// gradient is checked: along (u, q) the slope of <J(x)^T v, w> is the mixed slope d2/dsdt at 0 of
//   phi(s, t) = <v + t q, f(x + s w + t u)>,
// whose derivative by s is exact where the reference takes dual numbers.
// A gradient that depends on x without being attached to the graph shows here.
#include <algorithm>
#include <cmath>

#include "verify/checks/bisection.h"
#include "verify/checks/entry_power.h"
#include "verify/checks/exact_slope.h"
#include "verify/checks/known_loss.h"
#include "verify/checks/neighbours.h"
#include "verify/checks/precision.h"
#include "verify/checks/second_slope.h"
#include "verify/checks/second_value.h"
#include "verify/checks/tower.h"
#include "verify/numeric/judgement.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

double noise(const Subject& subject, const SecondProbe& probe, Wide here, Wide scale) {
  double samples[kNoiseSamples];
  for (std::size_t k = 0; k < kNoiseSamples; ++k) {
    const NoisePoint point = noise_point(subject.drawn, subject.incoming(), subject.dtype, k);
    samples[k] = static_cast<double>(second_run(subject, probe, &point).slope.value - here);
  }
  return excused_noise(subject, second_measurement(subject, probe), subject.noise_fit()(samples),
                       static_cast<double>(scale));
}

/// Twice the same mixed slope with w and u exchanged, as the Hessian is symmetric, then one with
/// the incoming gradient moving as well.
std::vector<SecondProbe> probes_of(const Subject& subject) {
  const DrawnCase& drawn = subject.drawn;
  const Direction a = make_direction(drawn, Scaling::Typical, 10);
  const Direction b = make_direction(drawn, Scaling::Entry, 11);
  return {{a, b, {}}, {b, a, {}}, {a, a, signs_of_result(subject)}};
}

struct SecondJudged {
  SecondRun native;
  Slope numeric;
  Wide scale = 0, own = 0;  ///< own: the radius without the numeric leg's part
  Wide declared = 0;        ///< of that, what the row says is lost, which is no mistake
  Verdict verdict = Verdict::Unresolved;
  Wide power = 0;
  double hidden = 0;  ///< an error of that size could have passed
  Wide radius() const { return own + Wide(kLadderFactor) * numeric.error; }
  /// Relative to the derivative, as far as that is not declared lost.
  double stated() const {
    return declared > 0 ? hidden / static_cast<double>(scale) : static_cast<double>(power);
  }
  bool accepted() const { return magnitude(native.slope.value - numeric.value) <= radius(); }
};

/// What roundings inside the recorded gradient's derivative do to it: nobody wrote that derivative,
/// and its terms may cancel to nothing at all.
Wide rounding_inside(const Subject& subject, const SecondProbe& probe, const SecondJudged& judged) {
  if (!modes_reach(subject.device)) return 0;
  const Numbers spread = spread_over_modes(
      [&] { return Numbers{static_cast<double>(second_run(subject, probe).slope.value)}; },
      {static_cast<double>(judged.native.slope.value)});
  const double most =
      kWild * epsilon_of(subject.dtype) * std::max(1.0, static_cast<double>(judged.scale));
  return spread.empty() || !(spread[0] <= most) ? Wide(0) : Wide(spread[0]);
}

void judge_by_reference(const Subject& subject, const SecondProbe& probe, Steps steps,
                        SecondJudged& judged) {
  const auto ladder = [&](Steps range) {
    judged.numeric = second_slope(subject, probe, range, subject.wide(), subject.incoming());
  };
  ladder(steps);
  judged.own += subject.allowance(probe.w, judged.numeric.value);
  if (!judged.accepted()) ladder(kThoroughMixed);
  if (!judged.accepted())
    judged.own += Wide(kNoiseFactor * foretold_noise(subject, second_measurement(subject, probe)));
  if (judged.scale > 0) judged.power = (judged.radius() + judged.numeric.error) / judged.scale;
  judged.hidden = static_cast<double>(judged.radius() - judged.declared + judged.numeric.error);
  const bool weak = !judged.numeric.finite || judged.power > Wide(subject.power_gate());
  const bool fails = judged.numeric.finite && !judged.accepted();
  judged.verdict = fails ? Verdict::Fail : weak ? Verdict::Unresolved : Verdict::Pass;
}

/// As for the first order, a short ladder may find a PASS where no evidence is asked for.
void judge_by_gradient(const Subject& subject, const SecondProbe& probe, bool evidence,
                       SecondJudged& judged) {
  const Subject wide(subject.spec, subject.drawn, kFloat64, subject.device);
  const Numbers& v = subject.incoming();
  // The gradient that is differenced is itself rounded, and no step is longer than 2^-3.
  Wide own = judged.own + Wide(0x1p-47) * weighted_sum(probe.w, subject.base().gradients).magnitude;
  const auto judge_on = [&](const Ladder& ladder, double power_gate) {
    judged.numeric = ladder.slope;
    judged.own = own + subject.allowance(probe.w, judged.numeric.value);
    const Judgement judgement = judge(ladder,
                                      {.derivative = static_cast<double>(judged.native.slope.value),
                                       .terms = static_cast<double>(judged.scale),
                                       .allowance = static_cast<double>(judged.own)},
                                      power_gate);
    const bool smooth = is_smooth(judgement.view) && judgement.reason != "domain";
    judged.verdict = smooth ? judgement.verdict : Verdict::Unresolved;
    judged.power = Wide(judgement.detectable_relative);
    judged.hidden = judgement.detectable;
  };
  const DoublePath path = gradient_path(wide, probe, v);
  if (!evidence) {
    const Ladder quick = climb_quickly(path);
    judge_on(quick, subject.quick_power_gate());
    if (judged.verdict == Verdict::Pass && slopes_meet(quick.samples)) return;
  }
  const Ladder ladder = climb(path);
  judge_on(ladder, subject.power_gate());
  if (judged.verdict == Verdict::Fail && subject.dtype != kFloat64) {
    own += Wide(kNoiseFactor * foretold_noise(subject, second_measurement(subject, probe)));
    judge_on(ladder, subject.power_gate());
  }
  if (judged.verdict == Verdict::Fail) {
    own += rounding_inside(subject, probe, judged);
    judge_on(ladder, subject.power_gate());
  }
  const auto ladder_of = [&](double share) {
    const SecondProbe less{probe.w, scaled(probe.u, share), scaled(probe.q, share)};
    return climb(gradient_path(wide, less, v));
  };
  const auto at = [&](const Subject& moved) { return second_run(moved, probe).slope.value; };
  if (judged.verdict == Verdict::Fail &&
      is_of_a_rounded_tie(subject, judged.native.slope.value, judged.numeric.value, judged.radius(),
                          at))
    judged.verdict = Verdict::Unresolved;
  // Steps that are right for one entry lead another out of the domain.
  if (judged.verdict == Verdict::Fail &&
      (ladder.one_sided || !is_confirmed(ladder_of, judged.native.slope.value)))
    judged.verdict = Verdict::Unresolved;
}

SecondJudged judge(const Subject& subject, const SecondProbe& probe, Steps steps) {
  SecondJudged judged;
  judged.native = second_run(subject, probe);
  // What moves with the incoming gradient is <J w, q>, whose terms cancel inside the operator.
  const Wide inner =
      probe.q.empty() ? Wide(0) : weighted_sum(probe.w, subject.base().gradients).magnitude;
  judged.scale = judged.native.slope.magnitude + inner;
  judged.own = Wide(kNoiseFactor * noise(subject, probe, judged.native.slope.value, judged.scale)) +
               Wide(rounding_factor(subject.dtype) * epsilon_of(subject.dtype)) * judged.scale +
               Wide(smallest_of(subject.dtype));
  judged.declared = known_loss(subject, subject.incoming(), {&probe.w, &probe.u}) +
                    known_loss(subject, probe.q, {&probe.w});
  judged.own += judged.declared;
  if (subject.is_opaque())
    judge_by_gradient(subject, probe, steps.first == kThoroughMixed.first, judged);
  else
    judge_by_reference(subject, probe, steps, judged);
  return judged;
}

/// The entry in the probe's u that seems most to blame, alone.
SecondProbe worst_part(const Subject& subject, const SecondProbe& probe) {
  const Direction part = bisected(probe.u, [&](const Direction& u) {
    const SecondJudged judged = judge(subject, {probe.w, u, {}}, kQuickMixed);
    return magnitude(judged.native.slope.value - judged.numeric.value);
  });
  return {probe.w, part, {}};
}

/// As for the first order: whether the entry that seems most to blame is right when it moves alone.
bool is_right_apart(const Subject& subject, const SecondProbe& probe) {
  if (!subject.is_opaque() || !probe.q.empty() || only_entry(probe.u)) return false;
  return judge(subject, worst_part(subject, probe), kQuickMixed).verdict == Verdict::Pass;
}

/// The entry whose movement changes the gradient most wrongly; none if that of the incoming
/// gradient does, or if errors of several cancel.
std::optional<Guilty> guilty_entry(const Subject& subject, const SecondProbe& probe) {
  const SecondProbe part = worst_part(subject, probe);
  const SecondJudged judged = judge(subject, part, kQuickMixed);
  const auto entry = only_entry(part.u);
  if (!entry || judged.verdict != Verdict::Fail) return {};
  const double expected = static_cast<double>(judged.numeric.value) / entry->step;
  const double got = static_cast<double>(judged.native.slope.value) / entry->step;
  return Guilty::of("second derivative, along a direction and by " + entry->text(subject), expected,
                    got, subject.dtype);
}

/// Probes of the inputs alone come first: where one of the incoming gradient fails, they did not.
std::string detached_text(const SecondProbe& probe) {
  if (probe.q.empty()) return "the gradient depends on the inputs but is not attached to the graph";
  return "the gradient depends on the incoming gradient but is not attached to the graph: a "
         "backward that is not to be differentiated says so by ctx->mark_once_differentiable()";
}

void fail(const Subject& subject, const SecondProbe& probe, const SecondJudged& judged,
          Outcome& outcome) {
  const auto expected = static_cast<double>(judged.numeric.value);
  const auto got = static_cast<double>(judged.native.slope.value);
  outcome.verdict = std::isfinite(got) ? Verdict::Fail : Verdict::Nonfinite;
  outcome.reason = judged.native.attached ? "value" : "detached";
  outcome.message =
      judged.native.attached ? "the derivative of the gradient is wrong" : detached_text(probe);
  outcome.guilty =
      guilty_entry(subject, probe)
          .value_or(Guilty::of("second directional derivative", expected, got, subject.dtype));
  outcome.rungs = judged.numeric.rungs;
}

void compare_along(const Subject& subject, const std::vector<SecondProbe>& probes,
                   EntryPower& entries, Outcome& outcome) {
  int which = -1;
  double weakest = 0;
  for (const SecondProbe& probe : probes) {
    ++which;
    ++outcome.comparisons;
    SecondJudged judged = judge(subject, probe, kQuickMixed);
    const SecondProbe* judged_along = &probe;
    SecondProbe own_probe;
    if (judged.verdict == Verdict::Unresolved && subject.is_opaque()) {
      // Steps of a typical size lead small entries out of their domain.
      own_probe = with_own_steps(subject, probe);
      const SecondJudged own = judge(subject, own_probe, kQuickMixed);
      if (own.verdict == Verdict::Pass) {
        judged = own;
        judged_along = &own_probe;
      }
    }
    if (judged.verdict != Verdict::Pass && subject.is_opaque())
      if (const auto nearer = within_own_size(subject, *judged_along)) {
        own_probe = *nearer;
        judged = judge(subject, own_probe, kQuickMixed);
        judged_along = &own_probe;
      }
    if (outcome.weakest < 0) outcome.weakest = which;
    if (judged.verdict == Verdict::Unresolved ||
        (judged.verdict == Verdict::Fail && is_right_apart(subject, *judged_along))) {
      ++outcome.unresolved;
      // (What little is known of an entry alone is more than what directions of many tell of it.)
      if (judged.verdict == Verdict::Unresolved && !subject.is_opaque() && judged.numeric.finite &&
          judged.power <= Wide(kOpaquePowerGate) && only_entry(judged_along->u))
        entries.seen(judged_along->u, {judged.hidden, judged.stated()}, judged.native.entries);
    } else if (judged.verdict != Verdict::Pass) {
      outcome.weakest = which;
      fail(subject, *judged_along, judged, outcome);
      return;
    } else {
      entries.seen(judged_along->u, {judged.hidden, judged.stated()}, judged.native.entries);
      if (judged.power <= Wide(weakest)) continue;
      weakest = static_cast<double>(judged.power);
      outcome.weakest = which;
    }
  }
}

/// Where all numbers of an argument have one sign, steps do not cross 0, where its domain may end,
/// and see little of a small one. Unseen entries move further, all at once: only a pass counts.
bool see_beyond_zero(const Subject& subject, const std::vector<SecondProbe>& probes,
                     EntryPower& entries) {
  DrawnCase open = subject.drawn;
  for (DrawnArgument& one : open.arguments) one.argument.domain = {};
  const Direction far = make_direction(open, Scaling::Typical, 18);
  SecondProbe probe{probes.front().w, scaled(far, 0), {}};
  for (const ArgumentEntry& one : entries.unseen(subject.power_gate()))
    probe.u.parts[one.argument][one.index] = far.parts[one.argument][one.index];
  const SecondJudged judged = judge(subject, probe, kQuickMixed);
  if (judged.verdict != Verdict::Pass) return false;
  entries.seen(probe.u, {judged.hidden, judged.stated()}, judged.native.entries);
  return true;
}

Outcome check_probes(const Subject& subject, const std::vector<SecondProbe>& probes) {
  Outcome outcome;
  EntryPower entries = EntryPower::of_other_derivative(subject);
  compare_along(subject, probes, entries, outcome);
  if (is_red(outcome.verdict) || outcome.comparisons == outcome.unresolved) return outcome;
  const Outcome before = outcome;
  // Of an opaque gradient one entry alone, a rounded 1 - p, may move in stairs that nothing tells.
  if (subject.is_opaque()) {
    entries.conclude(subject.power_gate(), outcome);
    if (outcome.undecided.entries > 0 && see_beyond_zero(subject, probes, entries)) {
      outcome = before;
      entries.conclude(subject.power_gate(), outcome);
    }
    outcome.unresolved = std::max(outcome.unresolved, before.unresolved);
    return outcome;
  }
  std::vector<SecondProbe> alone;
  for (Direction& u : entries.unseen_alone(subject.drawn, subject.power_gate()))
    alone.push_back({probes.front().w, std::move(u), {}});
  compare_along(subject, alone, entries, outcome);
  if (is_red(outcome.verdict))
    outcome.weakest = -1;
  else
    entries.keep_counts(before, outcome);
  return outcome;
}

/// Whether smaller steps see that the gradient is smooth along every one of these entries: longer
/// ones reach as far as the inputs are large, and out of the region in which it is, as where a
/// deviation is computed beside a large offset. What does not move in them says nothing.
bool is_smooth_in_finer_steps(const Subject& subject, const Direction& w,
                              const std::vector<ArgumentEntry>& entries) {
  const Numbers v = unlike_numbers(subject);
  const Subject wide(subject.spec, subject.drawn, kFloat64, subject.device);
  const auto sees_smooth = [&](const Direction& u) {
    DoublePath path = gradient_path(wide, {w, u, {}}, v);
    path.fine = true;
    const Ladder ladder = climb(path);
    return !ladder.samples.constant() && look(ladder.samples, 0).shape == LocalShape::Smooth;
  };
  return std::all_of(entries.begin(), entries.end(), [&](const ArgumentEntry& one) {
    const Direction u = one_hot(subject.drawn, one.argument, one.index);
    return sees_smooth(scaled(u, 0x1p-10)) || sees_smooth(scaled(u, 0x1p-20));
  });
}

/// What the numeric slopes of the gradient are along this entry.
std::string text_of_sides(const Subject& subject, const Direction& w, const ArgumentEntry& one) {
  const Subject wide(subject.spec, subject.drawn, kFloat64, subject.device);
  const Direction u = one_hot(subject.drawn, one.argument, one.index);
  const LocalView view =
      look(climb(gradient_path(wide, {w, u, {}}, unlike_numbers(subject))).samples, 0);
  const auto entry = only_entry(u);
  if (!entry) return "the gradient has a kink or a jump";
  const auto slope = [&](Wide along) { return static_cast<double>(along) / entry->step; };
  return format_message(
      "the gradient has a kink or a jump along {}: in the smallest steps its slope is {} from "
      "below and {} from above",
      {entry->text(subject), slope(view.below), slope(view.above)});
}

/// On a kink of the value or of the gradient there is no second derivative: nobody has declared
/// what it should be, and only the entries beside are judged.
std::optional<Outcome> check_beside_kinks(const Subject& subject,
                                          const std::vector<SecondProbe>& probes) {
  const Numbers v = unlike_numbers(subject);
  const Direction& w = probes.front().w;
  const Subject wide(subject.spec, subject.drawn, kFloat64, subject.device);
  const std::vector<ArgumentEntry> singular = singular_entries(subject, [&](const Direction& u) {
    const SecondProbe probe{w, u, {}};
    return climb(gradient_path(wide, probe, v));
  });
  if (singular.empty()) return {};
  if (subject.is_opaque() && is_smooth_in_finer_steps(subject, w, singular)) return {};
  std::vector<SecondProbe> beside;
  for (const SecondProbe& probe : probes)
    if (Direction u = without(probe.u, singular); !is_still(u))
      beside.push_back(
          {subject.is_opaque() ? probe.w : without(probe.w, singular), std::move(u), probe.q});
  Outcome outcome = check_probes(subject, beside);
  outcome.weakest = -1;
  ++outcome.comparisons;
  if (outcome.verdict == Verdict::Pass) {
    outcome.verdict = Verdict::Kink;
    outcome.reason = "undeclared";
    outcome.message = text_of_sides(subject, w, singular.front());
  }
  return outcome;
}

}  // namespace

Outcome check_second_order(const Subject& subject) {
  if (subject.spec.order < 2)
    return Outcome::of(Verdict::Limit, "order", "the operator declares first order only");
  Outcome outcome;
  if (subject.real_entries() == 0 || subject.incoming().empty()) return outcome;
  if (subject.is_opaque())
    if (auto refusal = refusal_of_float64(subject)) return *refusal;
  const std::vector<SecondProbe> probes = probes_of(subject);
  outcome = check_probes(subject, probes);
  if (subject.is_opaque() && !is_red(outcome.verdict))
    if (auto contradiction = contradiction_by_values(subject)) return *contradiction;
  const bool may_be_singular = subject.is_opaque() || is_on_branch(subject);
  if (!may_be_singular || (outcome.verdict == Verdict::Pass && outcome.unresolved == 0))
    return outcome;
  return check_beside_kinks(subject, probes).value_or(outcome);
}

Evidence second_order_evidence(const Subject& subject, int which) {
  const SecondProbe probe = probes_of(subject).at(static_cast<std::size_t>(which));
  const SecondJudged judged = judge(subject, probe, kThoroughMixed);
  return {.along = probe.q.empty() ? "all arguments, twice"
                                   : "all arguments twice, and the incoming gradient",
          .legs = {{"reverse", judged.native.slope.value, judged.radius(),
                    judged.native.attached ? "" : "the gradient is not attached to the graph"},
                   {"numeric", judged.numeric.value, judged.numeric.error,
                    judged.numeric.finite ? "" : "the reference is not finite around the point"}},
          .scale = judged.scale,
          .radius = judged.radius(),
          .rungs = judged.numeric.rungs};
}

}  // namespace notape::verify
