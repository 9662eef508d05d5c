#include "verify/numeric/third_slope.h"

#include <cmath>

namespace notape::verify {

Slope third_slope(const Path& phi, Steps steps) {
  // Rounding errors of a reference, in units of 113-bit arithmetic.
  constexpr double kReferenceUnits = 16;
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

}  // namespace notape::verify
