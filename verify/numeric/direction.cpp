#include "verify/numeric/direction.h"

#include <algorithm>
#include <cmath>

namespace notape::verify {

double power_of_two_below(double x) { return std::ldexp(1.0, std::ilogb(x)); }

double typical_size(const Numbers& values) {
  Numbers sizes;
  for (double value : values)
    if (value != 0 && std::isfinite(value)) sizes.push_back(std::abs(value));
  if (sizes.empty()) return 1;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

namespace {

/// The scale of steps in an entry. Inside a domain around zero nothing happens at scales far below
/// the domain's own, and steps there would only measure rounding errors of the reference.
double step_size(const Argument& argument, double value, double typical) {
  const Domain& domain = argument.domain;
  if (!std::isfinite(value)) return 0;
  double size = value != 0 ? std::abs(value) : typical;
  if (domain.low < 0 && domain.high > 0)
    size = std::max(size, 0x1p-8 * std::min(-domain.low, domain.high));
  return power_of_two_below(size);
}

/// Whether 0 is outside of the domain, or its end. A step beyond may meet poles, and is no
/// evidence.
bool is_one_sided(const Domain& domain) { return domain.low > 0 || domain.high < 0; }

/// A number of 20 bits, another one for every case, about the golden section, which is far from all
/// simple fractions: functions of short periods must not meet nearly the same phase at every step.
double off_grid(const DrawnCase& drawn) {
  constexpr uint32_t kStream = 1 << 27, kGolden = 0x9e377;
  return (kGolden + 2 * (keyed_bits(drawn.key, kStream, 0) >> 22)) * 0x1p-20;
}

/// Whether a simple fraction is near.
bool is_on_grid(double factor) {
  for (int q = 1; q <= 8; ++q)
    if (const double p = factor * q; std::abs(p - std::round(p)) < 0x1p-6) return true;
  return false;
}

/// A number of 20 bits in [1/2, 1), another one for every entry: of entries whose steps are equal,
/// two equal errors would cancel in every other direction.
double off_grid(const DrawnCase& drawn, uint32_t stream, std::size_t entry) {
  for (uint32_t again = 0;; ++again) {
    const uint32_t bits = keyed_bits(drawn.key, (1u << 29) + stream, 8 * entry + again);
    const double factor = ((1u << 19) + (bits >> 13 | 1)) * 0x1p-20;
    if (again == 7 || !is_on_grid(factor)) return factor;
  }
}

}  // namespace

Direction make_direction(const DrawnCase& drawn, Scaling scaling, uint32_t stream, int only) {
  Direction direction = Direction::none(drawn);
  for (std::size_t a = 0; a < drawn.arguments.size(); ++a) {
    if (!drawn.arguments[a].is_real() || (only >= 0 && static_cast<std::size_t>(only) != a))
      continue;
    const Numbers& values = drawn.arguments[a].values;
    const double typical = typical_size(values);
    Numbers& part = direction.parts[a];
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool own = scaling == Scaling::Entry || !std::isfinite(values[i]);
      const double value = own ? values[i] : 0;
      double size = step_size(drawn.arguments[a].argument, value, typical);
      if (is_one_sided(drawn.arguments[a].argument.domain))
        size = std::min(size, power_of_two_below(values[i]));
      const uint32_t own_stream = stream * 64 + static_cast<uint32_t>(a);
      const double step = off_grid(drawn, own_stream, i) * size;
      part.push_back(keyed_bits(drawn.key, own_stream, i) & 1 ? step : -step);
    }
  }
  return direction;
}

Direction one_hot(const DrawnCase& drawn, std::size_t argument, std::size_t entry) {
  Direction direction = Direction::none(drawn);
  const Numbers& values = drawn.arguments[argument].values;
  direction.parts[argument].assign(values.size(), 0);
  direction.parts[argument][entry] =
      off_grid(drawn) *
      step_size(drawn.arguments[argument].argument, values[entry], typical_size(values));
  return direction;
}

std::optional<Direction> within_own_size(const DrawnCase& drawn, Direction u) {
  constexpr double kMost = 0x1p400;  // two steps times a second derivative must not overflow
  bool is_longer = false;
  for (std::size_t a = 0; a < u.parts.size(); ++a)
    for (std::size_t i = 0; i < u.parts[a].size(); ++i) {
      const double size = std::max(1.0, std::abs(drawn.arguments[a].values[i]));
      const double most = std::min(power_of_two_below(size), kMost);
      if (std::abs(u.parts[a][i]) <= most) continue;
      is_longer = true;
      while (std::abs(u.parts[a][i]) > most) u.parts[a][i] /= 2;
    }
  return is_longer ? std::optional(std::move(u)) : std::nullopt;
}

}  // namespace notape::verify
