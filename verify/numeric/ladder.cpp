#include "verify/numeric/ladder.h"

#include <cmath>

namespace notape::verify {
namespace {

/// Rounding errors of a reference, in units of 113-bit arithmetic.
constexpr double kReferenceUnits = 16;

struct Quotient {
  int exponent;
  Wide value, noise;
};

Wide step_of(int exponent) { return Wide(std::ldexp(1.0, -exponent)); }

/// Quotients with errors h^2, h^4, ... (order 2) or h^2, h^3, ... (order 3 of the next term).
Slope extrapolate(const std::vector<Quotient>& quotients, bool one_sided) {
  Slope best;
  const auto combine = [](Wide fine, Wide coarse, Wide factor) {
    return fine + (fine - coarse) / (factor - 1);
  };
  for (std::size_t k = 0; k + 2 < quotients.size(); ++k) {
    const Quotient &a = quotients[k], &b = quotients[k + 1], &c = quotients[k + 2];
    if (a.exponent + 2 != c.exponent) continue;
    const Wide first = combine(b.value, a.value, 4), second = combine(c.value, b.value, 4);
    const Wide value = one_sided ? combine(second, first, 8) : second;
    const Wide error = magnitude(second - first) + 3 * c.noise;
    best.rungs.push_back({c.exponent, c.value, value, error});
    if (best.finite && error >= best.error) continue;
    best.finite = true;
    best.value = value;
    best.error = error;
  }
  return best;
}

}  // namespace

Slope slope(const Path& phi, Steps steps) {
  std::vector<Quotient> both;
  for (int k = steps.first; k <= steps.last; ++k) {
    const Wide h = step_of(k);
    const Sample above = phi(h), below = phi(-h);
    const Wide quotient = (above.value - below.value) / (2 * h);
    const Wide noise =
        Wide(kReferenceUnits * kWideEpsilon) * (above.magnitude + below.magnitude) / (2 * h);
    if (is_finite(quotient) && is_finite(noise)) both.push_back({k, quotient, noise});
  }
  if (Slope result = extrapolate(both, false); result.finite) return result;
  const Sample here = phi(0);
  for (const Wide side : {Wide(1), Wide(-1)}) {
    std::vector<Quotient> one;
    for (int k = steps.first; k <= steps.last; ++k) {
      const Wide h = step_of(k) * side;
      const Sample near = phi(h), far = phi(2 * h);
      const Wide quotient = (4 * near.value - far.value - 3 * here.value) / (2 * h);
      const Wide noise = Wide(kReferenceUnits * kWideEpsilon) *
                         (4 * near.magnitude + far.magnitude + 3 * here.magnitude) /
                         magnitude(2 * h);
      if (is_finite(quotient) && is_finite(noise)) one.push_back({k, quotient, noise});
    }
    if (Slope result = extrapolate(one, true); result.finite) return result;
  }
  return {};
}

Slope mixed_slope(const Surface& phi, Steps steps) {
  std::vector<Quotient> quotients;
  for (int k = steps.first; k <= steps.last; ++k) {
    const Wide h = step_of(k);
    const Sample a = phi(h, h), b = phi(h, -h), c = phi(-h, h), d = phi(-h, -h);
    const Wide quotient = ((a.value - b.value) - (c.value - d.value)) / (4 * h * h);
    const Wide noise = Wide(kReferenceUnits * kWideEpsilon) *
                       (a.magnitude + b.magnitude + c.magnitude + d.magnitude) / (4 * h * h);
    if (is_finite(quotient) && is_finite(noise)) quotients.push_back({k, quotient, noise});
  }
  return extrapolate(quotients, false);
}

}  // namespace notape::verify
