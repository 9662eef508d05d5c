#include "verify/checks/opaque_judgement.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/neighbours.h"
#include "verify/checks/opaque_reference.h"
#include "verify/checks/precision.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// <J^T v, u>
Measurement along(const Direction& u) {
  return {.native = [&u](const Subject& subject, const NoisePoint& point) {
    const Run run = subject.run(subject.inputs(kAllArguments, Placement::Contiguous, &point.values),
                                subject.output_tensor(point.incoming));
    return weighted_sum(u, run.gradients).value;
  }};
}

/// The reverse gradient along u, and how well it is known.
struct Claimed {
  Sample reverse;
  double noise;
};

/// The noise that roundings inside the gradient make along u.
double rounding_along(const Subject& subject, const Direction& u) {
  double sum = 0;
  for (std::size_t a = 0; a < u.parts.size(); ++a) {
    const Numbers& rounding = subject.gradient_rounding(a);
    for (std::size_t i = 0; i < std::min(u.parts[a].size(), rounding.size()); ++i)
      sum += std::abs(u.parts[a][i]) * rounding[i];
  }
  const auto terms = static_cast<double>(weighted_sum(u, subject.base().gradients).magnitude);
  return excused_noise(subject, along(u), kRoundingShare * sum, terms);
}

JudgedAlong judge_on(const Subject& subject, const Direction& u, const Claimed& claimed,
                     Ladder ladder, double power_gate) {
  JudgedAlong result{.ladder = std::move(ladder), .reverse = claimed.reverse};
  Claim claim{.derivative = static_cast<double>(result.reverse.value),
              .terms = static_cast<double>(result.reverse.magnitude)};
  if (subject.dtype != kFloat64)
    claim.rounding =
        rounding_factor(kFloat32) * epsilon_of(kFloat32) * claim.terms + smallest_of(kFloat32);
  claim.allowance =
      kNoiseFactor * claimed.noise + smallest_of(subject.dtype) +
      static_cast<double>(subject.allowance(u, subject.likely_size(u, result.ladder.slope.value)));
  result.judgement = judge(result.ladder, claim, power_gate);
  return result;
}

/// Whether the derivative is that of a neighbour in float32. If so the judgement is that. Without
/// noise, which the kink itself makes where it is measured.
bool passes_nearby(const Subject& subject, const Direction& u, const Claimed& claimed,
                   JudgedAlong& result) {
  const auto terms = static_cast<double>(claimed.reverse.magnitude);
  for (const DrawnCase& drawn : neighbours_in_float32(subject)) {
    const Subject moved(subject.spec, drawn, subject.dtype, subject.device);
    const Slope slope = slope_in_tiny_steps(moved, u);
    const auto error = static_cast<double>(slope.error);
    const double radius =
        kLadderFactor * error + smallest_of(subject.dtype) +
        static_cast<double>(subject.allowance(u, subject.likely_size(u, slope.value))) +
        rounding_factor(subject.dtype) * epsilon_of(subject.dtype) * terms;
    const double relative = terms > 0 ? (radius + error) / terms : 0;
    if (!(magnitude(claimed.reverse.value - slope.value) <= Wide(radius)) ||
        relative > subject.power_gate())
      continue;
    result.judgement = {.verdict = Verdict::Pass,
                        .leg = "double",
                        .expected = static_cast<double>(slope.value),
                        .error = error,
                        .radius = radius,
                        .detectable = radius + error,
                        .detectable_relative = relative};
    return true;
  }
  return false;
}

/// By the whole ladder.
JudgedAlong judge_thoroughly(const Subject& subject, const Direction& u, Claimed claimed,
                             const DoublePath& path) {
  JudgedAlong result = judge_on(subject, u, claimed, climb(path), subject.power_gate());
  if (result.judgement.verdict == Verdict::Fail) {
    claimed.noise = std::max(claimed.noise, rounding_along(subject, u));
    result = judge_on(subject, u, claimed, std::move(result.ladder), subject.power_gate());
  }
  if (result.judgement.verdict == Verdict::Fail && subject.dtype != kFloat64) {
    claimed.noise += foretold_noise(subject, along(u));
    result = judge_on(subject, u, claimed, std::move(result.ladder), subject.power_gate());
  }
  if (result.judgement.verdict == Verdict::Fail && passes_nearby(subject, u, claimed, result))
    return result;
  const auto at = [&](const Subject& moved) {
    return weighted_sum(u, moved.base().gradients).value;
  };
  if (result.judgement.verdict == Verdict::Fail &&
      is_of_a_rounded_tie(subject, result.reverse.value, Wide(result.judgement.expected),
                          Wide(result.judgement.radius), at)) {
    result.judgement.verdict = Verdict::Unresolved;
    result.judgement.reason = "a tie in float32 only";
    return result;
  }
  const auto ladder = [&](double share) {
    return opaque_ladder(subject, scaled(u, share), subject.incoming());
  };
  if (result.judgement.verdict == Verdict::Fail && is_smooth(result.judgement.view) &&
      !is_confirmed(ladder, claimed.reverse.value))
    result.judgement.verdict = Verdict::Unresolved;
  return result;
}

/// What a judgement along a `share` of a direction says of all of it, whose gradient is `reverse`.
JudgedAlong enlarged(JudgedAlong judged, double share, const Sample& reverse) {
  Judgement& judgement = judged.judgement;
  for (double* number :
       {&judgement.expected, &judgement.error, &judgement.radius, &judgement.detectable})
    *number /= share;
  for (Wide* number : {&judgement.view.below, &judgement.view.above, &judgement.view.widening})
    *number /= share;
  judged.reverse = reverse;
  return judged;
}

/// Whether both are the same singularity, the second one seen in steps `share` times as large.
bool is_same(const LocalView& coarse, const LocalView& fine, double share) {
  if (coarse.shape != fine.shape) return false;
  if (coarse.shape != LocalShape::Kink) return true;
  const Wide size = std::max(magnitude(coarse.below), magnitude(coarse.above));
  const Wide apart = std::max(magnitude(coarse.below - fine.below / Wide(share)),
                              magnitude(coarse.above - fine.above / Wide(share)));
  const Wide unsure = coarse.widening + fine.widening / Wide(share);
  return unsure <= size / 4 && apart <= unsure + Wide(kSameSingularity) * size;
}

/// How far x + h u, rounded to float64, is from where it should be: of the entry that it is worst
/// for, relative to its step.
double deviation_of(const Subject& subject, const Direction& u, double h) {
  double most = 0;
  for (std::size_t a = 0; a < u.parts.size(); ++a)
    for (std::size_t i = 0; i < u.parts[a].size(); ++i) {
      const double step = h * u.parts[a][i], x = subject.drawn.arguments[a].values[i];
      if (step == 0) continue;
      for (const double one : {step, -step})
        most = std::max(most, std::abs(((x + one) - x) - one) / std::abs(step));
    }
  return most;
}

/// Inputs of size 1e6 tell nothing of how fast their sine changes, and a zero nothing of where it
/// is rounded off: steps of the inputs' size jump from wave to wave, or show a kink that is none.
/// So what those leave open, much smaller ones may close; and a kink or a jump is one only where
/// smaller steps see it, too. What does not move in them says nothing.
JudgedAlong judge_finely(const Subject& subject, const Direction& u, const Claimed& claimed,
                         JudgedAlong coarse) {
  const bool singular = !is_smooth(coarse.judgement.view);
  for (const double share : {0x1p-20, 0x1p-10, 0x1p-4}) {
    const Direction fine = scaled(u, share);
    const auto ladder = [&](double part) {
      const Direction u_part = scaled(fine, part);
      DoublePath path = opaque_path(subject, u_part, subject.incoming());
      path.fine = true;
      path.deviation = [&](double h) { return deviation_of(subject, u_part, h); };
      path.slopes = static_cast<double>(weighted_sum(u_part, subject.base().gradients).magnitude);
      return climb(path);
    };
    const Claimed own{weighted_sum(fine, subject.base().gradients),
                      noise_nearby(subject, along(fine), share) + rounding_along(subject, fine)};
    JudgedAlong judged = judge_on(subject, fine, own, ladder(1), subject.power_gate());
    const Judgement& judgement = judged.judgement;
    if (judged.ladder.samples.constant() || judgement.flat) continue;
    if (singular && is_same(coarse.judgement.view, judgement.view, share)) return coarse;
    const bool fails = singular && coarse.ladder.samples.stair == 0 &&
                       judgement.verdict == Verdict::Fail && is_smooth(judgement.view) &&
                       judged.ladder.samples.probed && is_confirmed(ladder, own.reverse.value);
    if (judgement.verdict == Verdict::Pass || fails)
      return enlarged(std::move(judged), share, claimed.reverse);
  }
  if (!singular) return coarse;
  coarse.judgement.view.shape = LocalShape::Undecided;
  coarse.judgement.verdict = Verdict::Unresolved;
  coarse.judgement.reason = "not confirmed";
  return coarse;
}

}  // namespace

JudgedAlong judge_along(const Subject& subject, const Direction& u, bool evidence) {
  const Sample reverse = weighted_sum(u, subject.base().gradients);
  const Claimed claimed{reverse, excused_noise(subject, along(u), subject.projected_noise(u),
                                               static_cast<double>(reverse.magnitude))};
  const DoublePath path = opaque_path(subject, u, subject.incoming());
  if (!evidence) {
    JudgedAlong quick =
        judge_on(subject, u, claimed, climb_quickly(path), subject.quick_power_gate());
    if (quick.judgement.verdict == Verdict::Pass && slopes_meet(quick.ladder.samples)) return quick;
  }
  JudgedAlong judged = judge_thoroughly(subject, u, claimed, path);
  const bool open =
      judged.judgement.verdict == Verdict::Unresolved || !is_smooth(judged.judgement.view);
  return open ? judge_finely(subject, u, claimed, std::move(judged)) : judged;
}

Verdict verdict_on_kink(const JudgedAlong& judged) {
  const LocalView& view = judged.judgement.view;
  const Wide margin = view.widening + Wide(judged.judgement.radius);
  const Wide got = judged.reverse.value;
  return got >= std::min(view.below, view.above) - margin &&
                 got <= std::max(view.below, view.above) + margin
             ? Verdict::Kink
             : Verdict::Fail;
}

}  // namespace notape::verify
