// Richardson's extrapolation of difference quotients, as the ladders use it.
#pragma once
#include <limits>
#include <span>

#include "verify/numeric/ladder.h"

namespace notape::verify {

/// A difference quotient at the step 2^-exponent, and how far noise moves it.
struct Quotient {
  int exponent;
  Wide value, noise;
  /// How far roundings inside the function move it; as unknown, more than anything.
  Wide inside = std::numeric_limits<double>::infinity();
};
/// The best extrapolation of quotients at falling steps, whose errors go like h^2 + h^4 + ..., or
/// h^2 + h^3 + ... if they are one-sided. `factor`: by how much a halved step lowers the error.
Slope extrapolate(std::span<const Quotient> quotients, bool one_sided, int factor = 4);

/// How far rounding moves the reference's value in a sample.
Wide reference_noise(const Sample& sample);

}  // namespace notape::verify
