// Noise: how far the rounding errors of a computation scatter its results. It is run at points so
// near the inputs that a smooth function is a quintic there; what that cannot follow is noise.
// (In the spirit of J. More, S. Wild: "Estimating computational noise", SIAM J. Sci. Comput. 33,
// 2011, but at irregular points: at equal distances rounding errors may follow a straight line.)
#pragma once
#include <span>

#include "verify/numeric/direction.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {

/// Where the k-th point lies, in [0, 1); the first one is 0, the inputs themselves.
double noise_abscissa(uint32_t key, std::size_t k);

struct NoisePoint {
  std::vector<Numbers> values;  ///< of the arguments
  Numbers incoming;
};
/// The k-th point. Stays inside the domain and on one side of each kink.
NoisePoint noise_point(const DrawnCase& drawn, const Numbers& incoming, ScalarType dtype,
                       std::size_t k);
/// The same on numbers of the dtype.
NoisePoint rounded(NoisePoint point, ScalarType dtype);

/// Results at the points -> the standard deviation of their noise.
class NoiseFit {
 public:
  explicit NoiseFit(uint32_t key);
  double operator()(std::span<const double> samples) const;

 private:
  static constexpr int kPolynomials = 6;
  /// Polynomials of degree 0 to 5, orthonormal over the points.
  double basis_[kPolynomials][kNoiseSamples];
};

}  // namespace notape::verify
