// Noise: how far the rounding errors of a computation scatter its results. It is run at points so
// near the inputs that a smooth function is a cubic there; what a cubic cannot follow is noise.
// (In the spirit of J. More, S. Wild: "Estimating computational noise", SIAM J. Sci. Comput. 33,
// 2011, but at irregular points: at equal distances rounding errors may follow a straight line.)
#pragma once
#include <span>

#include "verify/numeric/direction.h"

namespace notape::verify {

inline constexpr std::size_t kNoiseSamples = 14;

/// Where the k-th point lies, in [0, 1); the first one is 0, the inputs themselves.
double noise_abscissa(uint32_t key, std::size_t k);
/// The inputs of the k-th point. Stays inside the domain and on one side of each kink.
std::vector<Numbers> noise_point(const DrawnCase& drawn, ScalarType dtype, std::size_t k);

/// Results at the points -> the standard deviation of their noise.
class NoiseFit {
 public:
  explicit NoiseFit(uint32_t key);
  double operator()(std::span<const double> samples) const;

 private:
  static constexpr int kPolynomials = 4;
  /// Polynomials of degree 0 to 3, orthonormal over the points.
  double basis_[kPolynomials][kNoiseSamples];
};

}  // namespace notape::verify
