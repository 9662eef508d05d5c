// The step ladder: a derivative from values alone, with an estimate of its own error.
//   D_k = (phi(h_k) - phi(-h_k)) / 2h_k,  R_k = (4 D_{k+1} - D_k) / 3,  h_k = 2^-k
// The answer is the R whose neighbour agrees best (Richardson; Ridders 1982).
#pragma once
#include <cmath>
#include <functional>

#include "verify/numeric/wide_case.h"

namespace notape::verify {

using Path = std::function<Sample(Wide t)>;
using Surface = std::function<Sample(Wide s, Wide t)>;

/// Steps 2^-first, 2^-(first+1), ..., 2^-last.
struct Steps {
  int first, last;
};
/// Three steps are enough for smooth functions in 113 bits.
inline constexpr Steps kQuick{20, 22};
/// The evidence for every answer except PASS.
inline constexpr Steps kThorough{3, 40};
/// For second derivatives, whose rounding errors grow with 1/h^2.
inline constexpr Steps kQuickMixed{16, 18};
inline constexpr Steps kThoroughMixed{3, 30};

/// 2^-exponent
inline Wide step_of(int exponent) { return Wide(std::ldexp(1.0, -exponent)); }

struct Rung {
  int exponent = 0;
  Wide quotient = 0, extrapolated = 0, error = 0;
  Wide noise = 0;  ///< of the quotient, from rounding
};

struct Slope {
  Wide value = 0, error = 0;
  bool finite = false;
  std::vector<Rung> rungs;
};

/// d phi / dt at 0; from one side if the other is outside the domain.
Slope slope(const Path& phi, Steps steps);
/// d^2 phi / ds dt at (0, 0).
Slope mixed_slope(const Surface& phi, Steps steps);

}  // namespace notape::verify
