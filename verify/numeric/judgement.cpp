#include "verify/numeric/judgement.h"

#include <algorithm>
#include <cmath>

#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// The first rung of a ladder none of whose steps is left out, and how much later one may begin
/// whose steps are still long.
constexpr int kFirstRung = 5, kFewLater = 3;
double rounding_of(const Claim& claim) {
  const double terms = claim.terms > 0 ? claim.terms : std::abs(claim.derivative);
  return rounding_factor(kFloat64) * epsilon_of(kFloat64) * terms;
}

/// What roundings would make of the slope if they were as large as other modes pretend. That may be
/// a function that is good in one mode only; it may be an intermediate result, too, that stands
/// still over all steps that neighbours were looked at in.
double doubted_error(const Ladder& ladder) {
  const auto best =
      std::min_element(ladder.slope.rungs.begin(), ladder.slope.rungs.end(),
                       [](const Rung& a, const Rung& b) { return a.error < b.error; });
  if (best == ladder.slope.rungs.end()) return 0;
  double error = 0;
  for (const Samples::Level& level : ladder.samples.levels)
    if (level.exponent <= best->exponent)
      error = static_cast<double>(level.doubted) * std::ldexp(1.0, level.exponent);
  return error;
}

/// expected, error and radius are known; what can be said?
void accept(Judgement& result, const Claim& claim, bool converged, double steepest, double gate) {
  result.detectable = result.radius + result.error;
  const double size =
      std::max({std::abs(claim.derivative), std::abs(result.expected), claim.terms});
  result.detectable_relative = size > 0 ? result.detectable / size : 0;
  const bool inside = std::abs(claim.derivative - result.expected) <= result.radius;
  const bool coarse =
      kLadderFactor * result.error > 0.5 * size || (!inside && result.radius > 0.5 * size);
  const bool true_zero =
      inside && std::abs(claim.derivative) <= result.radius &&
      std::abs(result.expected) <= result.radius &&
      result.detectable <= (claim.rounding > 0 ? kZeroShareOfFloat32 : kZeroShare) * steepest;
  if (true_zero) {
    result.verdict = Verdict::Pass;
    result.detectable_relative = result.detectable / steepest;
  } else if (coarse || !std::isfinite(result.radius)) {
    result.reason = "noise";
  } else if (!inside) {
    result.verdict = converged ? Verdict::Fail : Verdict::Unresolved;
    result.reason = converged ? "value" : "not converged";
  } else {
    result.verdict = result.detectable_relative <= gate ? Verdict::Pass : Verdict::Unresolved;
    result.reason = result.verdict == Verdict::Pass ? "" : "power";
  }
}

/// Whether a staircase is one by rounding, to float32 for instance.
bool is_rounding(const Samples& samples) {
  return (samples.probed && samples.levels.front().inner > 0) ||
         samples.stair < Wide(kRoundingStair) * samples.largest;
}

/// What the conventions say at a point that is not smooth.
void judge_singular(Judgement& result, const Claim& claim) {
  const LocalView& view = result.view;
  const bool kink = view.shape == LocalShape::Kink;
  if (!kink && !claim.declared) {
    result.verdict = Verdict::Fail;
    result.reason = "undeclared";
    return;
  }
  result.expected =
      kink ? static_cast<double>(least_norm(view.below, view.above)) : *claim.declared;
  result.error = kink ? static_cast<double>(view.widening) : 0;
  result.radius = result.error + rounding_of(claim) + claim.rounding;
  result.detectable = result.radius + result.error;
  if (kink) {
    const auto steepest =
        static_cast<double>(std::max(magnitude(view.below), magnitude(view.above)));
    result.detectable_relative = steepest > 0 ? result.detectable / steepest : 0;
  }
  const bool equal = claim.derivative == result.expected ||
                     std::abs(claim.derivative - result.expected) <= result.radius;
  const Verdict fine = kink                             ? Verdict::Kink
                       : view.shape == LocalShape::Jump ? Verdict::Jump
                                                        : Verdict::Unbounded;
  result.verdict = equal ? fine : Verdict::Fail;
  result.reason = equal ? "" : "convention";
}

/// Of values that stand still.
void judge_constant(Judgement& result, const Ladder& ladder, const Claim& claim) {
  const Samples& samples = ladder.samples;
  const double per_step = std::ldexp(1.0, samples.levels.front().exponent);
  result.detectable = static_cast<double>(std::max(samples.epsilon * magnitude(samples.here),
                                                   samples.noise_at(samples.levels.front()))) *
                      per_step;
  const bool is_still = claim.derivative == 0 && result.detectable <= 1e-6;
  // Such a slope would have moved the value at the largest step.
  const bool moves = std::abs(claim.derivative) >
                     std::max(16 * result.detectable + claim.allowance + claim.rounding,
                              kInvisible * static_cast<double>(samples.epsilon) * per_step);
  result.verdict = is_still ? Verdict::Pass : moves ? Verdict::Fail : Verdict::Unresolved;
  result.reason = is_still ? "" : moves ? "value" : "constant";
  result.radius = result.detectable + claim.allowance + claim.rounding;
  // A constant says no more than that its slope is below what roundings inside would swallow.
  result.flat = is_still && (!samples.probed || samples.levels.front().inner > 0) &&
                result.detectable > 0 && ladder.opaque;
}

/// What would not move a number of size 1 inside the function by more than its roundings, in the
/// longest of the steps that were of use, nobody can see.
/// (Where roundings inside have been measured, and move it, they are in the radius.)
/// (And not at all where everything moves with the smallest steps: stairs would be seen. But not
/// in steps that are all that small: x (1 + tanh(x)) moves on one stair, too.)
double visible_slope(const Ladder& ladder) {
  const Samples& samples = ladder.samples;
  const bool measured = samples.probed && samples.levels.front().inner > 0;
  const int later = ladder.slope.rungs.empty()
                        ? 0
                        : std::max(0, ladder.slope.rungs.front().exponent - kFirstRung);
  const bool moves = ladder.moves && later <= kFewLater && !ladder.fine;
  const double roundings = moves                      ? 0
                           : measured && !ladder.fine ? kMeasuredInvisible
                           : samples.stand_still() && !ladder.fine
                               ? kInvisibleSlope / static_cast<double>(samples.epsilon)
                               : kInvisible;
  return std::ldexp(roundings * static_cast<double>(samples.epsilon), later);
}

/// Takes back what rests on less than can be seen.
void doubt(Judgement& result, const Ladder& ladder, const Claim& claim, double steepest,
           double gate) {
  const double visible = visible_slope(ladder);
  const double apart = std::abs(claim.derivative - result.expected);
  const double size =
      std::max({std::abs(claim.derivative), std::abs(result.expected), claim.terms});
  if (result.verdict == Verdict::Fail && ladder.opaque &&
      apart < std::max(visible, kLadderFactor * doubted_error(ladder))) {
    result.verdict = Verdict::Unresolved;
    result.reason = "rounded away";
    result.detectable = std::max(result.detectable, visible);
  }
  if (result.verdict == Verdict::Pass && ladder.fine) {
    result.detectable = std::max(result.detectable, visible);
    result.detectable_relative =
        std::max(result.detectable_relative, visible / std::max(size, steepest));
    if (result.detectable_relative > gate) {
      result.verdict = Verdict::Unresolved;
      result.reason = "power";
    }
  }
  // What was not believed may be so.
  if (result.verdict != Verdict::Unresolved) return;
  result.detectable = std::max(result.detectable, apart);
  if (size > 0)
    result.detectable_relative = std::max(result.detectable_relative, result.detectable / size);
}

void judge_slope(Judgement& result, const Ladder& ladder, const Claim& claim, double gate) {
  const Samples& samples = ladder.samples;
  result.expected = static_cast<double>(ladder.slope.value);
  result.error = static_cast<double>(ladder.slope.error);
  result.radius = kLadderFactor * result.error + rounding_of(claim) + claim.rounding +
                  claim.allowance + ladder.hidden;
  if (!std::isfinite(claim.derivative)) {
    result.verdict = Verdict::Nonfinite;
    result.reason = "value";
    return;
  }
  const auto steepest =
      static_cast<double>(ladder.opaque ? samples.steepest_seen() : samples.steepest());
  accept(result, claim, ladder.converged, steepest, gate);
  doubt(result, ladder, claim, steepest, gate);
}

}  // namespace

Judgement judge(const Ladder& ladder, const Claim& claim, double power_gate) {
  Judgement result;
  const Samples& samples = ladder.samples;
  result.view = look(samples, Wide(claim.derivative));
  if (!is_smooth(result.view)) {
    judge_singular(result, claim);
  } else if (samples.constant()) {
    judge_constant(result, ladder, claim);
  } else if (samples.stair > 0 && claim.derivative == 0 && !is_rounding(samples)) {
    // On one stair the slope is 0, unless the stairs are those of a smooth function rounded inside.
    result.verdict = Verdict::Pass;
  } else if (!ladder.slope.finite) {
    const bool kinks = first_uncrossed(samples) > 0;
    result.verdict = kinks ? Verdict::Unresolved : Verdict::Nonfinite;
    result.reason = kinks ? "a kink nearby" : "domain";
  } else {
    judge_slope(result, ladder, claim, power_gate);
  }
  return result;
}

Judgement judge(const DoublePath& phi, const Claim& claim, const Legs& legs) {
  const Ladder ladder = climb(phi);
  Judgement result = judge(ladder, claim, kDoubleGate);
  result.leg = "double";
  if (result.verdict == Verdict::Unresolved && legs.complex) {
    const ComplexSlope slope = complex_step(legs.complex);
    result.leg = "complex";
    result.expected = slope.value;
    result.error = slope.error;
    result.radius = kLadderFactor * slope.error + rounding_of(claim);
    result.verdict = Verdict::Unresolved;
    accept(result, claim, true, static_cast<double>(ladder.samples.steepest()), kWideGate);
  }
  if (result.verdict == Verdict::Unresolved && legs.wide) {
    result = judge(climb(legs.wide), claim, kWideGate);
    result.leg = "wide";
  }
  return result;
}

}  // namespace notape::verify
