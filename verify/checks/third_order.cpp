// third-order: the derivative of the second derivative, along one direction u three times, and with
// the incoming gradient moving along q. phi(t) = <v, f(x + t u)>
// Of an opaque operator the second derivative is its own in float64, which second-order has judged,
// and only one derivative is left to differences.
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/known_loss.h"
#include "verify/checks/opaque_reference.h"
#include "verify/checks/tower.h"
#include "verify/numeric/judgement.h"
#include "verify/numeric/ladder.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// For third derivatives, whose rounding errors grow with 1/h^3.
constexpr Steps kQuickThird{14, 16};
constexpr Steps kThoroughThird{4, 26};

/// d^3 phi / dt^3 at 0, by differences with one step of Richardson's extrapolation. Not finite
/// outside the domain.
Slope third_slope(const Path& phi, Steps steps) {
  Slope best;
  Wide coarser = 0, extrapolated = 0;  // the quotients at the steps before
  int known = 0;
  for (int k = steps.first; k <= steps.last; ++k) {
    const Wide h = std::ldexp(1.0, -k);
    const Sample a = phi(2 * h), b = phi(h), c = phi(-h), d = phi(-2 * h);
    const Wide quotient = (a.value - 2 * b.value + 2 * c.value - d.value) / (2 * h * h * h);
    const Wide noise = Wide(kReferenceUnits * kWideEpsilon) *
                       (a.magnitude + 2 * b.magnitude + 2 * c.magnitude + d.magnitude) /
                       (2 * h * h * h);
    if (!is_finite(quotient) || !is_finite(noise)) {
      known = 0;
      continue;
    }
    const Wide finer = quotient + (quotient - coarser) / 3;
    if (++known >= 3) {
      const Wide error = magnitude(finer - extrapolated) + 3 * noise;
      if (!best.finite || error < best.error)
        best = {.value = finer, .error = error, .finite = true, .rungs = {}};
    }
    extrapolated = finer;
    coarser = quotient;
  }
  return best;
}

struct Question {
  const char* what;
  Sample Tower::*native;
  Slope numeric = {};
  double noise = 0;
};

/// What one question came to.
struct ThirdAnswer {
  Verdict verdict = Verdict::Unresolved;
  Wide expected = 0, power = 0;
};

Slope moving_slope(const Subject& subject, const Direction& u, const Numbers& q, Steps steps) {
  return mixed_slope(
      [&](Wide s, Wide t) {
        WideList x = subject.wide();
        move(x, u, s);
        move(x, u, t);
        return weighted_result(q, subject.reference(x), x);
      },
      steps);
}

void measure_noise(const Subject& subject, const Direction& u, const Numbers& q, const Tower& here,
                   Question (&questions)[2]) {
  double samples[2][kNoiseSamples];
  for (std::size_t k = 0; k < kNoiseSamples; ++k) {
    const NoisePoint point = noise_point(subject.drawn, subject.incoming(), subject.dtype, k);
    const Tower there = derivative_tower(subject, u, q, &point);
    for (int i = 0; i < 2; ++i) {
      const auto native = questions[i].native;
      samples[i][k] = static_cast<double>((there.*native).value - (here.*native).value);
    }
  }
  for (int i = 0; i < 2; ++i) questions[i].noise = subject.noise_fit()(samples[i]);
}

/// t -> the second derivative of the operator itself in float64, at x + t u or at v + t q.
DoublePath second_derivative(const Subject& subject, const Direction& u, const Numbers& q,
                             bool moves_incoming) {
  const auto at = [&subject, &u, &q, moves_incoming](double t) -> Evaluation {
    NoisePoint point{point_along(subject.drawn, u, moves_incoming ? 0 : t), subject.incoming()};
    for (std::size_t i = 0; moves_incoming && i < q.size(); ++i) point.incoming[i] += t * q[i];
    return [&subject, &u, &q, point] {
      const EnableGradGuard recording;
      const Sample second = derivative_tower(subject, u, q, &point).second;
      return Numbers{static_cast<double>(second.value)};
    };
  };
  DoublePath path = path_of(at, {1}, subject.device);
  const EnableGradGuard recording;
  path.terms = [terms = static_cast<double>(derivative_tower(subject, u, q).second.magnitude)] {
    return terms;
  };
  return path;
}

ThirdAnswer answer_by_reference(const Subject& subject, const Direction& u, const Numbers& q,
                                const Sample& native, Wide own, Wide scale, Question& question) {
  const bool third = question.native == &Tower::third;
  const auto phi = subject.path(u);
  const auto radius = [&] { return own + Wide(kLadderFactor) * question.numeric.error; };
  const auto accepted = [&] {
    return magnitude(native.value - question.numeric.value) <= radius();
  };
  const auto power = [&] { return scale > 0 ? (radius() + question.numeric.error) / scale : 0; };
  const auto decides = [&] { return accepted() && power() <= Wide(kThirdOrderPowerGate); };
  question.numeric =
      third ? third_slope(phi, kQuickThird) : moving_slope(subject, u, q, kQuickMixed);
  if (!decides())
    question.numeric =
        third ? third_slope(phi, kThoroughThird) : moving_slope(subject, u, q, kThoroughMixed);
  ThirdAnswer answer{.expected = question.numeric.value, .power = power()};
  if (!question.numeric.finite) return answer;
  if (!accepted())
    answer.verdict = Verdict::Fail;
  else if (decides())
    answer.verdict = Verdict::Pass;
  return answer;
}

ThirdAnswer answer_by_second_derivative(const Subject& subject, const Direction& u,
                                        const Numbers& q, const Sample& native, Wide own,
                                        Wide scale, const Question& question) {
  const bool moves_incoming = question.native == &Tower::moving;
  const DoublePath path = second_derivative(subject, u, q, moves_incoming);
  const auto judged_on = [&](const Ladder& ladder, double power_gate) {
    const Judgement judged = judge(ladder,
                                   {.derivative = static_cast<double>(native.value),
                                    .terms = static_cast<double>(scale),
                                    .allowance = static_cast<double>(own)},
                                   power_gate);
    const bool smooth = is_smooth(judged.view) && judged.reason != "domain";
    return ThirdAnswer{.verdict = smooth ? judged.verdict : Verdict::Unresolved,
                       .expected = Wide(judged.expected),
                       .power = Wide(judged.detectable_relative)};
  };
  // As for lower orders, a short ladder may find a PASS.
  const Ladder quick = climb_quickly(path);
  const ThirdAnswer answer = judged_on(quick, subject.quick_power_gate());
  if (answer.verdict == Verdict::Pass && slopes_meet(quick.samples)) return answer;
  return judged_on(climb(path), subject.power_gate());
}

}  // namespace

Outcome check_third_order(const Subject& subject) {
  if (subject.spec.order < 3)
    return Outcome::of(Verdict::Limit, "order", "the operator declares lower orders only");
  Outcome outcome;
  if (subject.real_entries() == 0 || subject.incoming().empty()) return outcome;
  const Direction u = make_direction(subject.drawn, Scaling::Entry, 12);
  const Numbers q = signs_of_result(subject);
  const Tower tower = derivative_tower(subject, u, q);
  Question questions[] = {
      {"third directional derivative", &Tower::third},
      {"second directional derivative, moved with the incoming gradient", &Tower::moving}};
  measure_noise(subject, u, q, tower, questions);
  for (Question& question : questions) {
    const Sample& native = tower.*question.native;
    const Wide scale = native.magnitude + tower.first.magnitude + tower.second.magnitude;
    const Wide own =
        Wide(kNoiseFactor * question.noise) +
        Wide(rounding_factor(subject.dtype) * epsilon_of(subject.dtype)) * scale +
        Wide(smallest_of(subject.dtype)) +
        (question.native == &Tower::third ? known_loss(subject, subject.incoming(), {&u, &u, &u})
                                          : known_loss(subject, q, {&u, &u}));
    ++outcome.comparisons;
    const ThirdAnswer answer =
        subject.is_opaque()
            ? answer_by_second_derivative(subject, u, q, native, own, scale, question)
            : answer_by_reference(subject, u, q, native, own, scale, question);
    if (answer.verdict == Verdict::Unresolved) {
      ++outcome.unresolved;
    } else if (answer.verdict != Verdict::Pass) {
      const auto expected = static_cast<double>(answer.expected);
      const auto got = static_cast<double>(native.value);
      outcome.verdict = std::isfinite(got) ? Verdict::Fail : Verdict::Nonfinite;
      outcome.reason = "value";
      outcome.message = "the derivative of the second derivative is wrong";
      outcome.guilty = Guilty::of(question.what, expected, got, subject.dtype);
      return outcome;
    } else {
      outcome.detectable = std::max(outcome.detectable, static_cast<double>(answer.power));
    }
  }
  return outcome;
}

}  // namespace notape::verify
