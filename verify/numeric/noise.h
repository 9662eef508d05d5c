// Noise: how far the rounding errors of a computation scatter its results, measured from nine
// results at equally spaced inputs. A smooth function has tiny high differences; what is left is
// noise (J. More, S. Wild: "Estimating computational noise", SIAM J. Sci. Comput. 33, 2011).
#pragma once
#include <span>

#include "verify/numeric/direction.h"

namespace notape::verify {

inline constexpr int kNoiseSamples = 9;

/// The standard deviation of the noise in nine equally spaced samples.
double noise_of(std::span<const double> samples);

/// The `k`-th of nine equally spaced points that begin at the inputs: far enough apart that every
/// rounding inside the operator falls differently, near enough that its value hardly changes.
/// Stays inside the domain and on one side of each kink.
std::vector<Numbers> noise_point(const DrawnCase& drawn, ScalarType dtype, int k);

}  // namespace notape::verify
