// Complex step: f(x + i h u) has imaginary part h f'(x) u + O(h^3), and nothing cancels, so h may
// be absurdly small (W. Squire, G. Trapp: "Using complex variables to estimate derivatives of real
// functions", SIAM Review 40, 1998). For analytic functions only: no abs, no max, no comparisons.
#pragma once
#include <complex>
#include <functional>

namespace notape::verify {

/// t -> f(x + t u)
using ComplexPath = std::function<std::complex<double>(std::complex<double> t)>;

struct ComplexSlope {
  double value, error;
};

/// d phi / dt at 0, with an error of a few roundings.
inline ComplexSlope complex_step(const ComplexPath& phi) {
  constexpr double h = 0x1p-100;
  const double value = phi({0, h}).imag() / h;
  return {value, 4 * 0x1p-52 * (value < 0 ? -value : value)};
}

}  // namespace notape::verify
