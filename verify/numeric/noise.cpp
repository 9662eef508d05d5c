#include "verify/numeric/noise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace notape::verify {

namespace {

constexpr uint32_t kNoiseStream = 7;

/// How far entries move, relative to their size.
double reach_of(ScalarType dtype) { return dtype != kFloat64 ? 0x1p-8 : 0x1p-14; }

/// How far an entry may go in one direction: to the domain's end, or half way to a kink.
double room(double value, double sign, const Domain& domain) {
  double most = sign > 0 ? domain.high - value : value - domain.low;
  for (double kink : domain.kinks)
    if (const double away = sign * (kink - value); away >= 0) most = std::min(most, 0.5 * away);
  return std::max(most, 0.0);
}

/// A step of this size in the direction of `sign`, else in the one with more room: an entry that
/// hardly moves shows no noise.
double step(double value, double size, double sign, const Domain& domain) {
  const double ahead = room(value, sign, domain), behind = room(value, -sign, domain);
  return ahead >= size || ahead >= behind ? sign * std::min(size, ahead)
                                          : -sign * std::min(size, behind);
}

}  // namespace

double noise_abscissa(uint32_t key, std::size_t k) {
  return k == 0 ? 0
                : (static_cast<double>(k - 1) + keyed_bits(key, kNoiseStream, k) * 0x1p-32) /
                      static_cast<double>(kNoiseSamples - 1);
}

NoisePoint noise_point(const DrawnCase& drawn, const Numbers& incoming, ScalarType dtype,
                       std::size_t k) {
  const double along = noise_abscissa(drawn.key, k);
  NoisePoint point{{}, incoming};
  for (std::size_t a = 0; a < drawn.arguments.size(); ++a) {
    const DrawnArgument& one = drawn.arguments[a];
    Numbers& values = point.values.emplace_back(one.values);
    if (!one.is_real()) continue;
    const Domain& domain = one.argument.domain;
    // Entries near zero move further than their size, or sums with larger terms would not notice.
    // (But not far: where zero is no part of the domain, much may happen on the way there.)
    const bool around_zero = domain.low <= 0 && domain.high >= 0;
    const double least = 0x1p-9 * (domain.high - domain.low);
    constexpr double kFar = 0x1p6;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) continue;
      // Sizes of their own: a function of differences must not see all inputs move alike.
      const uint32_t bits = keyed_bits(drawn.key, kNoiseStream * 64 + static_cast<uint32_t>(a), i);
      const double own = std::abs(values[i]);
      const double size = reach_of(dtype) * (0.5 + bits * 0x1p-33) *
                          std::max(own, around_zero ? least : std::min(least, kFar * own));
      values[i] += along * step(values[i], size, bits & 1 ? 1 : -1, domain);
    }
  }
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    const uint32_t bits = keyed_bits(drawn.key, kNoiseStream * 64 + 63, i);
    point.incoming[i] *= 1 + along * reach_of(dtype) * (bits * 0x1p-31 - 1);
  }
  return point;
}

NoisePoint rounded(NoisePoint point, ScalarType dtype) {
  for (Numbers& values : point.values)
    for (double& value : values) value = round_to(value, dtype);
  for (double& value : point.incoming) value = round_to(value, dtype);
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
  double scale = 0;  // squares of 1e-187 would underflow
  for (std::size_t k = 0; k < kNoiseSamples; ++k) {
    rest[k] = samples[k] - samples[0];
    scale = std::max(scale, std::abs(rest[k]));
  }
  if (scale == 0) return 0;
  if (!std::isfinite(scale)) scale = 1;
  for (double& one : rest) one /= scale;
  for (const auto& row : basis_) {
    const double part = std::inner_product(rest, rest + kNoiseSamples, row, 0.0);
    for (std::size_t k = 0; k < kNoiseSamples; ++k) rest[k] -= part * row[k];
  }
  const double squares = std::inner_product(rest, rest + kNoiseSamples, rest, 0.0);
  return scale * std::sqrt(squares / (kNoiseSamples - kPolynomials));
}

}  // namespace notape::verify
