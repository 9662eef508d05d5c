#include "verify/numeric/ladder.h"

#include "verify/numeric/extrapolate.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {

Slope extrapolate(std::span<const Quotient> quotients, bool one_sided, int factor) {
  Slope best;
  const auto combine = [](Wide fine, Wide coarse, int by) {
    return fine + (fine - coarse) / (by - 1);
  };
  for (std::size_t k = 0; k + 2 < quotients.size(); ++k) {
    const Quotient &a = quotients[k], &b = quotients[k + 1], &c = quotients[k + 2];
    if (a.exponent + 2 != c.exponent) continue;
    const Wide first = combine(b.value, a.value, factor),
               second = combine(c.value, b.value, factor);
    const Wide value = one_sided ? combine(second, first, 8) : second;
    const Wide error = magnitude(second - first) + 3 * c.noise;
    best.rungs.push_back({c.exponent, c.value, value, error, c.noise});
    if (best.finite && error >= best.error) continue;
    best.finite = true;
    best.value = value;
    best.error = error;
  }
  return best;
}

Wide reference_noise(const Sample& sample) {
  return Wide(kReferenceUnits * kWideEpsilon) * sample.magnitude;
}

Slope slope(const Path& phi, Steps steps) {
  std::vector<Quotient> both;
  for (int k = steps.first; k <= steps.last; ++k) {
    const Wide h = step_of(k);
    const Sample above = phi(h), below = phi(-h);
    const Wide quotient = (above.value - below.value) / (2 * h);
    const Wide noise = (reference_noise(above) + reference_noise(below)) / (2 * h);
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
      const Wide noise =
          (4 * reference_noise(near) + reference_noise(far) + 3 * reference_noise(here)) /
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
    const Wide noise =
        (reference_noise(a) + reference_noise(b) + reference_noise(c) + reference_noise(d)) /
        (4 * h * h);
    if (is_finite(quotient) && is_finite(noise)) quotients.push_back({k, quotient, noise});
  }
  return extrapolate(quotients, false);
}

}  // namespace notape::verify
