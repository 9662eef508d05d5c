#include "verify/numeric/noise.h"

#include <algorithm>
#include <cmath>

namespace notape::verify {

double noise_of(std::span<const double> samples) {
  std::vector<double> differences(samples.begin(), samples.end());
  double least = HUGE_VAL, scale = 1;  // scale = (j!)^2 / (2j)!
  for (int j = 1; j <= 6; ++j) {
    for (std::size_t i = 0; i + 1 < differences.size(); ++i)
      differences[i] = differences[i + 1] - differences[i];
    differences.pop_back();
    scale *= j / (2.0 * (2 * j - 1));
    if (j < 3) continue;
    double squares = 0;
    for (double difference : differences) squares += difference * difference;
    least = std::min(least, std::sqrt(scale * squares / static_cast<double>(differences.size())));
  }
  return least;
}

std::vector<Numbers> noise_point(const DrawnCase& drawn, ScalarType dtype, int k) {
  constexpr uint32_t kStream = 7;
  const double spacing = dtype == kFloat32 ? 0x1p-14 : 0x1p-30;
  std::vector<Numbers> point;
  for (std::size_t a = 0; a < drawn.arguments.size(); ++a) {
    const DrawnArgument& drawn_argument = drawn.arguments[a];
    Numbers& values = point.emplace_back(drawn_argument.values);
    if (!drawn_argument.is_real()) continue;
    const Domain& domain = drawn_argument.argument.domain;
    double size = power_of_two_below(typical_size(values));
    if (!domain.kinks.empty())
      size = std::min(size, power_of_two_below(domain.kink_distance) * 0x1p10);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool up = keyed_bits(drawn.key, kStream * 64 + static_cast<uint32_t>(a), i) & 1;
      const double far = kNoiseSamples * spacing * size;
      const bool fits = up ? values[i] + far <= domain.high : values[i] - far >= domain.low;
      values[i] += (up == fits ? k : -k) * spacing * size;
    }
  }
  return point;
}

}  // namespace notape::verify
