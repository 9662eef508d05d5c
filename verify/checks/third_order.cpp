// third-order: the derivative of the second derivative, along one direction u three times, and with
// the incoming gradient moving along q. phi(t) = <v, f(x + t u)>
#include <cmath>

#include "verify/checks/rare_checks.h"
#include "verify/checks/tower.h"
#include "verify/numeric/third_slope.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// A third derivative of float64 has lost more digits than a first one.
constexpr double kPowerGate = 1e-9;

struct Question {
  const char* what;
  Sample Tower::*native;
  Slope numeric;
  double noise = 0;
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

}  // namespace

Outcome check_third_order(const Subject& subject) {
  if (subject.spec.order < 3)
    return Outcome::of(Verdict::Limit, "order", "the operator declares lower orders only");
  Outcome outcome;
  if (subject.real_entries() == 0 || subject.incoming().empty()) return outcome;
  const Direction u = make_direction(subject.drawn, Scaling::Entry, 12);
  const Numbers q = signs_of_result(subject);
  const Tower tower = derivative_tower(subject, u, q);
  const auto phi = subject.path(u);
  Question questions[] = {
      {"third directional derivative", &Tower::third, third_slope(phi, kQuickThird)},
      {"second directional derivative, moved with the incoming gradient", &Tower::moving,
       moving_slope(subject, u, q, kQuickMixed)}};
  measure_noise(subject, u, q, tower, questions);
  for (Question& question : questions) {
    const Sample& native = tower.*question.native;
    const Wide scale = native.magnitude + tower.first.magnitude + tower.second.magnitude;
    const Wide own = Wide(kNoiseFactor * question.noise) +
                     Wide(rounding_factor(subject.dtype) * epsilon_of(subject.dtype)) * scale +
                     Wide(smallest_of(subject.dtype));
    const auto radius = [&] { return own + Wide(kLadderFactor) * question.numeric.error; };
    const auto accepted = [&] {
      return magnitude(native.value - question.numeric.value) <= radius();
    };
    if (!accepted())
      question.numeric = question.native == &Tower::third
                             ? third_slope(phi, kThoroughThird)
                             : moving_slope(subject, u, q, kThoroughMixed);
    ++outcome.comparisons;
    const Wide power = scale > 0 ? (radius() + question.numeric.error) / scale : Wide(0);
    if (!question.numeric.finite) {
      ++outcome.unresolved;
    } else if (!accepted()) {
      const auto expected = static_cast<double>(question.numeric.value);
      const auto got = static_cast<double>(native.value);
      outcome.verdict = std::isfinite(got) ? Verdict::Fail : Verdict::Nonfinite;
      outcome.reason = "value";
      outcome.message = "the derivative of the second derivative is wrong";
      outcome.guilty =
          Guilty{question.what, expected, got, ulps_between(expected, got, subject.dtype)};
      return outcome;
    } else if (power > Wide(kPowerGate)) {
      ++outcome.unresolved;
    } else {
      outcome.detectable = std::max(outcome.detectable, static_cast<double>(power));
    }
  }
  return outcome;
}

}  // namespace notape::verify
