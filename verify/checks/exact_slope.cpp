#include "verify/checks/exact_slope.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/opaque_reference.h"
#include "verify/numeric/extrapolate.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

/// What the reference decides at x + t u, and how far the nearest other decision is to first order.
struct Branches {
  std::vector<bool> outcomes;
  Wide nearest;
  bool finite = true;
};
std::optional<Branches> branches_at(const Subject& subject, const Direction& u, double t) {
  const Reference& reference = subject.drawn.op.reference;
  if (!reference.has_dual()) return {};
  WideList x = subject.wide();
  move(x, u, Wide(t));
  const math::BranchTrace trace;
  const DualTensor y = reference(dual_values(x, u));
  Branches result{{}, trace.distance()};
  for (const WideDual& one : y.values) result.finite = result.finite && is_finite(one.value);
  for (const auto& one : trace.comparisons()) result.outcomes.push_back(one.outcome);
  return result;
}

/// Whether a step of h, to either side, ends on another branch or comes near one, or leaves the
/// domain.
bool crosses(const Subject& subject, const Direction& u, const Branches& here, double h) {
  if (Wide(2 * h) >= here.nearest) return true;
  for (const double t : {h, -h}) {
    const auto there = branches_at(subject, u, t);
    if (there->outcomes != here.outcomes || (here.finite && !there->finite)) return true;
  }
  return false;
}

}  // namespace

DualList dual_values(const WideList& x, const Direction& u) {
  DualList result;
  for (std::size_t a = 0; a < x.size(); ++a) {
    DualTensor& tensor = result.emplace_back();
    tensor.sizes = x[a].sizes;
    tensor.values.assign(x[a].values.begin(), x[a].values.end());
    for (std::size_t i = 0; i < u.parts[a].size(); ++i)
      tensor.values[i] = WideDual(x[a].values[i], Wide(u.parts[a][i]));
  }
  return result;
}

Wide ExactSlope::error() const { return Wide(kExactUnit) * value.magnitude; }

std::optional<ExactSlope> exact_slope(const Subject& subject, const Direction& u, const WideList& x,
                                      const Numbers& v) {
  const Reference& reference = subject.drawn.op.reference;
  if (!reference.has_dual()) return {};
  const math::BranchTrace trace;
  const DualTensor y = reference(dual_values(x, u));
  std::vector<Wide> slopes;
  for (const WideDual& entry : y.values) slopes.push_back(entry.slope);
  return ExactSlope{weighted_sum(v, slopes), trace.distance()};
}

bool is_on_branch(const Subject& subject) {
  if (subject.real_entries() == 0) return false;
  const Direction u = make_direction(subject.drawn, Scaling::Typical, 13);
  const auto exact = exact_slope(subject, u, subject.wide(), subject.incoming());
  return exact && exact->branch == 0;
}

Slope reference_slope(const Subject& subject, const Direction& u, const WideList& x,
                      const Numbers& v) {
  const auto exact = exact_slope(subject, u, x, v);
  if (!exact || !exact->is_sure()) return slope(subject.path(u, x, v), kQuick);
  return {.value = exact->value.value, .error = exact->error(), .finite = true, .rungs = {}};
}

Steps uncrossing(const Subject& subject, const Direction& u, Steps steps) {
  constexpr int kSmallest = 60;
  const auto here = branches_at(subject, u, 0);
  if (here && here->nearest > 0)
    while (steps.first < kSmallest && crosses(subject, u, *here, std::ldexp(1.0, -steps.first)))
      steps.last = std::max(steps.last, ++steps.first + 3);
  return steps;
}

Slope ladder_slope(const Subject& subject, const Direction& u, Steps steps) {
  return slope(subject.path(u), uncrossing(subject, u, steps));
}

namespace {

/// A function's values around a point, beside that at the point.
struct Around {
  double step, above, below, near_above, near_below;  ///< at the step and at half of it

  double slope() const {
    return (4 * (near_above - near_below) / step - (above - below) / (2 * step)) / 3;
  }
  /// Whether the slopes to both sides tend to each other as steps fall, but for `noise` in values.
  bool sides_meet(double noise) const {
    const double bend = (above + below) / step, half = (near_above + near_below) / (step / 2);
    return std::abs(2 * half - bend) <= kBendLeft * std::abs(bend) + 40 * noise / step;
  }
};
Around around(const DoublePath& path, double step) {
  const auto at = [&](double t) { return static_cast<double>(path.at(t) - path.at(0)); };
  return {step, at(step), at(-step), at(step / 2), at(-step / 2)};
}

}  // namespace

double rough_slope(const Subject& subject, const Direction& u, double step) {
  return around(opaque_path(subject, u, subject.incoming()), step).slope();
}

double rough_resolution(const Subject& subject, const Direction& u, double step) {
  const DoublePath path = opaque_path(subject, u, subject.incoming());
  const double inner = path.inner ? std::max(path.inner(0), 0.0) : 0;
  return 4 * std::max(inner, 0x1p-52 * path.terms()) / step;
}

std::optional<Slope> confirmed_slope(const Subject& subject, const Direction& u) {
  const auto exact = exact_slope(subject, u, subject.wide(), subject.incoming());
  if (!exact || !exact->is_sure()) return {};
  // Smaller steps for what oscillates, or where the domain ends. (NaN confirms nothing.)
  const DoublePath path = opaque_path(subject, u, subject.incoming());
  const auto size = static_cast<double>(exact->value.magnitude);
  const auto confirms = [&](double step) {
    const Around values = around(path, step);
    const bool same = std::abs(values.slope() - static_cast<double>(exact->value.value)) <=
                      kConfirmingError * size;
    // The middle of two slopes is a slope to both sides, and none.
    return same && values.sides_meet(0x1p-52 * path.terms());
  };
  if (!confirms(0x1p-9) && !confirms(0x1p-17)) return {};
  return Slope{.value = exact->value.value, .error = exact->error(), .finite = true, .rungs = {}};
}

bool bends_here(const Subject& subject, const Direction& u) {
  constexpr double kStep = 0x1p-40;
  const Path phi = subject.path(u);
  const Sample here = phi(0);
  const auto bend = [&](double h) {
    return (phi(Wide(h)).value - 2 * here.value + phi(Wide(-h)).value) / Wide(h);
  };
  const Wide coarse = bend(kStep), fine = bend(kStep / 2);
  const Wide noise = 160 * reference_noise(here) / Wide(kStep);
  const Wide left = magnitude(2 * fine - coarse);
  return is_finite(left) && left > noise + Wide(kBendLeft) * magnitude(coarse) &&
         magnitude(fine) > Wide(0.9) * magnitude(coarse);
}

Leg exact_leg(const Subject& subject, const Direction& u) {
  const auto exact = exact_slope(subject, u, subject.wide(), subject.incoming());
  if (!exact) return {"dual", 0, 0, "the reference takes no dual numbers"};
  if (exact->branch == 0)
    return {"dual", 0, 0, "the point is where branches of the reference meet"};
  if (!exact->is_sure()) return {"dual", 0, 0, "the reference's slope is not finite"};
  return {"dual", exact->value.value, exact->error()};
}

}  // namespace notape::verify
