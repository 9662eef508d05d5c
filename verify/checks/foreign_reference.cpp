// reference, exact-slope: an operator of a plugin against its own reference in long double.
#include <algorithm>
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/bisection.h"
#include "verify/checks/comparer.h"
#include "verify/checks/directions_of.h"
#include "verify/checks/twin_noise.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {
namespace {

double largest_at_all(ScalarType dtype) { return dtype != kFloat64 ? 0x1p127 : 0x1p1023; }

Numbers value_of(const Subject& subject, const std::vector<Numbers>* values = nullptr) {
  const NoGradGuard no_grad;
  return numbers_of(subject.drawn.op.call(subject.inputs(0, Placement::Contiguous, values)));
}

/// How far the operator's values at a point are off its reference.
Numbers errors_of_values(const Subject& subject, const NoisePoint& point) {
  const auto reference =
      foreign_reference(*foreign_case_of(subject.drawn), wide_at(subject, point));
  Numbers errors = value_of(subject, &point.values);
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = static_cast<double>(errors[i] - reference[i]);
  return errors;
}

/// As spread_over_modes(), and infinite where there is no telling.
Numbers known_spread(const Numbers& here, const std::function<Numbers()>& compute) {
  Numbers spread = spread_over_modes(compute, here);
  return spread.empty() ? Numbers(here.size(), HUGE_VAL) : spread;
}

/// How far each number of `reference(x)` moves when the inputs move by a rounding.
template <typename Function>
Numbers spread_of_jitter(const Subject& subject, const Function& reference) {
  const auto here = reference(subject.wide());
  Numbers spread(here.size(), 0);
  for (int round = 0; round < kInputJitters; ++round) {
    const auto moved = reference(jittered(subject.drawn, epsilon_of(subject.dtype), round));
    for (std::size_t i = 0; i < spread.size(); ++i) {
      const auto distance = static_cast<double>(std::abs(moved[i] - here[i]));
      if (std::isfinite(distance)) spread[i] = std::max(spread[i], distance);
    }
  }
  return spread;
}

long double sum_of(const Numbers& v, const std::vector<long double>& y, long double& magnitude) {
  long double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    sum += v[i] * y[i];
    magnitude += std::abs(v[i] * y[i]);
  }
  return sum;
}

/// Both derivatives along a direction, and how far apart they may be.
struct Slopes {
  long double expected = 0;
  double got = 0, radius = 0, scale = 0;
  bool comparable() const {
    return std::isfinite(got) && std::isfinite(static_cast<double>(expected)) &&
           std::isfinite(radius);
  }
  double excess() const {
    return comparable() ? static_cast<double>(std::abs(got - expected)) / (radius + 1e-300) : 0;
  }
};

class SlopeQuestion {
 public:
  explicit SlopeQuestion(const Subject& subject)
      : subject_(subject), one_(*foreign_case_of(subject.drawn)) {
    gradients_ = flat(subject.base());
    spread_ = known_spread(gradients_, [&] {
      const EnableGradGuard recording;
      return flat(subject.run(subject.inputs(), subject.incoming_tensor()));
    });
  }

  Slopes along(const Direction& u) const {
    Slopes slopes;
    long double terms = 0;
    const auto exact = [&](const WideList& x) {
      long double ignored = 0;
      return std::vector<long double>{
          sum_of(subject_.incoming(), foreign_reference_slope(one_, x, u), ignored)};
    };
    slopes.expected =
        sum_of(subject_.incoming(), foreign_reference_slope(one_, subject_.wide(), u), terms);
    const Sample got = weighted_sum(u, subject_.base().gradients);
    slopes.got = static_cast<double>(got.value);
    slopes.scale = std::max(static_cast<double>(terms), static_cast<double>(got.magnitude));
    // On a kink that nobody declared the reference takes one side, and backward perhaps the other.
    long double sides = 0;
    for (const double step : {0x1p-50, -0x1p-50}) {
      WideList x = subject_.wide();
      move(x, u, Wide(step));
      sides = std::max(sides, std::abs(exact(x)[0] - slopes.expected));
    }
    slopes.radius = kNoiseFactor * (spread_of_jitter(subject_, exact)[0] + moved_by_rounding(u)) +
                    kLadderFactor * static_cast<double>(sides) +
                    rounding_factor(subject_.dtype) * epsilon_of(subject_.dtype) * slopes.scale +
                    smallest_of(subject_.dtype);
    // Dear, and only where it matters.
    if (slopes.comparable() && slopes.excess() > 1) {
      const double scatter = scatter_along(u);
      slopes.radius += kNoiseFactor * scatter;
      slopes.scale = std::max(slopes.scale, scatter / epsilon_of(subject_.dtype));
    }
    return slopes;
  }

 private:
  Numbers flat(const Run& run) const {
    Numbers all;
    for (std::size_t a = 0; a < run.gradients.size(); ++a) {
      const std::size_t count = subject_.drawn.arguments[a].values.size();
      for (std::size_t i = 0; i < count; ++i)
        all.push_back(run.gradients[a].empty() ? 0 : run.gradients[a][i]);
    }
    return all;
  }
  double moved_by_rounding(const Direction& u) const {
    double sum = 0;
    std::size_t at = 0;
    for (std::size_t a = 0; a < u.parts.size(); ++a)
      for (std::size_t i = 0; i < subject_.drawn.arguments[a].values.size(); ++i, ++at)
        if (!u.parts[a].empty() && u.parts[a][i] != 0) sum += std::abs(u.parts[a][i]) * spread_[at];
    return sum;
  }

  double scatter_along(const Direction& u) const {
    const auto error = [&](const Subject& subject, const NoisePoint& point) {
      const EnableGradGuard recording;
      const Run run =
          subject.run(subject.inputs(kAllArguments, Placement::Contiguous, &point.values),
                      subject.output_tensor(point.incoming));
      long double ignored = 0;
      const long double exact = sum_of(
          point.incoming, foreign_reference_slope(one_, wide_at(subject, point), u), ignored);
      const Wide got = weighted_sum(u, run.gradients).value;
      return Numbers{static_cast<double>(got - Wide(exact))};
    };
    return excused_scatter(subject_, error)[0];
  }

  const Subject& subject_;
  const ForeignCase& one_;
  Numbers gradients_, spread_;
};

}  // namespace

bool has_foreign_reference(const Subject& subject) {
  const ForeignCase* one = foreign_case_of(subject.drawn);
  return one && one->declaration->foreign.reference;
}

Outcome check_foreign_reference(const Subject& subject) {
  const ForeignCase& one = *foreign_case_of(subject.drawn);
  const auto at = [&](const WideList& x) { return foreign_reference(one, x); };
  const std::vector<long double> reference = at(subject.wide());
  const Numbers got = value_of(subject), jitter = spread_of_jitter(subject, at);
  const Numbers spread = known_spread(got, [&] { return value_of(subject); });
  const double epsilon = epsilon_of(subject.dtype);
  Numbers noise(got.size(), 0);
  const auto radius_at = [&](std::size_t i, double size) {
    return kNoiseFactor * (jitter[i] + spread[i] + noise[i]) +
           rounding_factor(subject.dtype) * epsilon * size + smallest_of(subject.dtype);
  };
  const auto size_at = [&](std::size_t i) { return static_cast<double>(std::abs(reference[i])); };
  // A long double reaches further; whether a value is a number is asked by `finite`.
  const auto is_asked = [&](std::size_t i) {
    return size_at(i) < largest_at_all(subject.dtype) && std::isfinite(got[i]);
  };
  bool in_doubt = false;
  for (std::size_t i = 0; i < got.size(); ++i)
    in_doubt = in_doubt || (is_asked(i) && std::abs(static_cast<double>(got[i] - reference[i])) >
                                               radius_at(i, size_at(i)));
  if (in_doubt) noise = excused_scatter(subject, errors_of_values);  // expensive
  Comparer comparer(subject);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_asked(i)) continue;
    comparer.within("output", {static_cast<int64_t>(got.size())}, i, Wide(reference[i]), got[i],
                    Wide(radius_at(i, size_at(i))),
                    Wide(std::max(size_at(i), (jitter[i] + spread[i] + noise[i]) / epsilon)));
  }
  return comparer.finish("value", "the result differs from the plugin's reference");
}

bool has_foreign_slope(const Subject& subject) {
  const ForeignCase* one = foreign_case_of(subject.drawn);
  return one && one->declaration->foreign.reference_jvp && subject.is_differentiable();
}

Outcome check_foreign_slope(const Subject& subject) {
  const SlopeQuestion question(subject);
  Comparer comparer(subject);
  for (const Direction& whole : directions_of(subject)) {
    Direction u = whole;
    Slopes slopes = question.along(u);
    if (!slopes.comparable()) continue;  // whether it is a number is asked by `reverse`
    if (slopes.excess() > 1) {
      u = bisected(whole, [&](const Direction& half) {
        const Slopes part = question.along(half);
        return Wide(std::abs(part.got - part.expected));
      });
      if (const Slopes part = question.along(u); part.excess() > 1)
        slopes = part;
      else
        u = whole;
    }
    const auto entry = only_entry(u);
    const Wide step = Wide(entry ? entry->step : 1);
    comparer.within(entry ? "gradient of " + entry->text(subject) + " " : "along a direction", {},
                    0, Wide(slopes.expected) / step, static_cast<double>(Wide(slopes.got) / step),
                    Wide(slopes.radius) / magnitude(step), Wide(slopes.scale) / magnitude(step));
    if (comparer.failed()) break;
  }
  return comparer.finish("value", "the gradient is not the exact slope of the plugin's reference");
}

}  // namespace notape::verify
