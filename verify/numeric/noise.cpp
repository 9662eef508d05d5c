#include "verify/numeric/noise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace notape::verify {

namespace {
constexpr uint32_t kStream = 7;
}  // namespace

double noise_abscissa(uint32_t key, std::size_t k) {
  return k == 0 ? 0
                : (static_cast<double>(k - 1) + keyed_bits(key, kStream, k) * 0x1p-32) /
                      static_cast<double>(kNoiseSamples - 1);
}

std::vector<Numbers> noise_point(const DrawnCase& drawn, ScalarType dtype, std::size_t k) {
  const double reach = dtype == kFloat32 ? 0x1p-11 : 0x1p-27;
  std::vector<Numbers> point;
  for (std::size_t a = 0; a < drawn.arguments.size(); ++a) {
    const DrawnArgument& drawn_argument = drawn.arguments[a];
    Numbers& values = point.emplace_back(drawn_argument.values);
    if (!drawn_argument.is_real()) continue;
    const Domain& domain = drawn_argument.argument.domain;
    // Inputs near zero move further than their size, or sums with larger terms would not notice.
    const double least = 0x1p-6 * power_of_two_below(0.5 * (domain.high - domain.low));
    double farthest = reach * std::max(power_of_two_below(typical_size(values)), least);
    if (!domain.kinks.empty()) farthest = std::min(farthest, 0.5 * domain.kink_distance);
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Sizes of their own too: a function of differences must not see all inputs move alike.
      const uint32_t bits = keyed_bits(drawn.key, kStream * 64 + static_cast<uint32_t>(a), i);
      const bool up = bits & 1;
      const double distance = farthest * (0.5 + bits * 0x1p-33) * noise_abscissa(drawn.key, k);
      const bool fits =
          up ? values[i] + farthest <= domain.high : values[i] - farthest >= domain.low;
      values[i] += up == fits ? distance : -distance;
    }
  }
  return point;
}

NoiseFit::NoiseFit(uint32_t key) {
  for (int degree = 0; degree < kPolynomials; ++degree) {
    double* row = basis_[degree];
    for (std::size_t k = 0; k < kNoiseSamples; ++k)
      row[k] = std::pow(noise_abscissa(key, k) - 0.5, degree);
    // Gram and Schmidt, twice for accuracy.
    for (int again = 0; again < 2; ++again)
      for (int lower = 0; lower < degree; ++lower) {
        const double part = std::inner_product(row, row + kNoiseSamples, basis_[lower], 0.0);
        for (std::size_t k = 0; k < kNoiseSamples; ++k) row[k] -= part * basis_[lower][k];
      }
    const double norm = std::sqrt(std::inner_product(row, row + kNoiseSamples, row, 0.0));
    for (std::size_t k = 0; k < kNoiseSamples; ++k) row[k] /= norm;
  }
}

double NoiseFit::operator()(std::span<const double> samples) const {
  double rest[kNoiseSamples];
  // Relative to the first: exact, and a result without noise gives exactly 0.
  for (std::size_t k = 0; k < kNoiseSamples; ++k) rest[k] = samples[k] - samples[0];
  for (const auto& row : basis_) {
    const double part = std::inner_product(rest, rest + kNoiseSamples, row, 0.0);
    for (std::size_t k = 0; k < kNoiseSamples; ++k) rest[k] -= part * row[k];
  }
  const double squares = std::inner_product(rest, rest + kNoiseSamples, rest, 0.0);
  return std::sqrt(squares / (kNoiseSamples - kPolynomials));
}

}  // namespace notape::verify
