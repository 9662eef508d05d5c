#include "verify/generate/values.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace notape::verify {
namespace {

double epsilon_of(ScalarType dtype) { return std::ldexp(1, 1 - element_type(dtype).digits); }

/// One number of the type further towards `inside`.
double step_inside(double value, double inside, ScalarType dtype) {
  const ElementType& type = element_type(dtype);
  const int exponent = value == 0 ? type.lowest_exponent : std::ilogb(value) - type.digits + 1;
  const double unit = std::ldexp(1, std::max(exponent, type.lowest_exponent));
  return round_to(value + (inside > value ? unit : -unit), dtype);
}

/// The nearest point of the domain that `dtype` has and that is off every kink.
double settle(double value, const Domain& domain, ScalarType dtype) {
  value = std::clamp(value, domain.low, domain.high);
  for (double kink : domain.kinks) {
    // A hair more than asked for, so that rounding does not bring it back.
    const double distance = domain.kink_distance * 1.001;
    if (std::abs(value - kink) >= distance) continue;
    const bool up = value >= kink ? kink + distance <= domain.high : kink - distance < domain.low;
    value = up ? kink + distance : kink - distance;
  }
  double result = round_to(value, dtype);
  if (result >= domain.low && result <= domain.high) return result;
  const double inside = 0.5 * (domain.low + domain.high);
  if (dtype == kFloat32)
    result = std::nextafterf(static_cast<float>(result), static_cast<float>(inside));
  else if (is_reduced_floating_point(dtype))
    result = step_inside(result, inside, dtype);
  return result;
}

/// Points worth visiting: 0, 1, -1, 1/2, -1/2, the ends, the kinks.
double special_point(ChoiceDraw& draw, const Domain& domain) {
  std::vector<double> points;
  for (double point : {0.0, 1.0, -1.0, 0.5, -0.5})
    if (point >= domain.low && point <= domain.high) points.push_back(point);
  points.insert(points.end(), {domain.low, domain.high});
  points.insert(points.end(), domain.kinks.begin(), domain.kinks.end());
  return points[static_cast<std::size_t>(draw.integer(0, static_cast<int64_t>(points.size()) - 1))];
}

/// A few units in the last place beside a special point (of 1 beside 0).
double neighbour(ChoiceDraw& draw, const Domain& domain, ScalarType dtype) {
  constexpr double distances[] = {1, 2, 0x1p10, 0x1p14};
  const double point = special_point(draw, domain);
  const double unit = epsilon_of(dtype) * (point == 0 ? 1 : std::abs(point));
  const double distance = distances[draw.integer(0, 3)] * unit;
  return draw.boolean() ? point - distance : point + distance;
}

double log_uniform(ChoiceDraw& draw, const Domain& domain) {
  const double magnitude = std::max(std::abs(domain.low), std::abs(domain.high));
  if (domain.low > 0) return domain.low * std::pow(domain.high / domain.low, draw.fraction());
  if (domain.high < 0) return domain.high * std::pow(domain.low / domain.high, draw.fraction());
  const bool negative = draw.boolean();
  const auto exponent = static_cast<int>(draw.integer(0, 20));
  const double value = std::ldexp(magnitude * (0.5 + 0.5 * draw.fraction()), -exponent);
  const bool possible = negative ? -value >= domain.low : value <= domain.high;
  return negative == possible ? -value : value;
}

/// In a domain without end those near 0.
double whole_number(ChoiceDraw& draw, const Domain& domain) {
  constexpr double kMany = 1000;
  const bool is_wide = domain.high - domain.low > kMany;
  const double first = std::round(is_wide ? std::max(domain.low, -kMany / 2) : domain.low);
  const double count = is_wide ? kMany : domain.high - domain.low;
  return first + static_cast<double>(draw.integer(0, static_cast<int64_t>(count)));
}

double draw_real(ChoiceDraw& draw, const Domain& domain, ScalarType dtype) {
  const auto share = draw.integer(0, 99);
  double value;
  if (share < 12)
    value = special_point(draw, domain);
  else if (share < 26)
    value = whole_number(draw, domain);
  else if (share < 36)
    value = neighbour(draw, domain, dtype);
  else if (share < 66)
    value = log_uniform(draw, domain);
  else
    value = domain.low + (domain.high - domain.low) * draw.fraction();
  return settle(value, domain, dtype);
}

/// The part of a domain whose cubes are numbers of the type, too; float16's end at 65504.
Domain within_range(Domain domain, ScalarType dtype) {
  if (dtype != kFloat16) return domain;
  constexpr double kEnd = 8, kNearZero = 0x1p-7;
  const Domain given = domain;
  domain.low = std::max(domain.low, -kEnd);
  domain.high = std::min(domain.high, kEnd);
  if (domain.low > 0) domain.low = std::max(domain.low, kNearZero);
  if (domain.high < 0) domain.high = std::min(domain.high, -kNearZero);
  return domain.low < domain.high ? domain : given;
}

double draw_one(ChoiceDraw& draw, const Argument& argument, ScalarType dtype) {
  switch (argument.kind) {
    case Argument::Kind::Real:
      return draw_real(draw, within_range(argument.domain, dtype), dtype);
    case Argument::Kind::Index:
      return static_cast<double>(draw.integer(0, argument.index_bound - 1));
    case Argument::Kind::Bool:
      break;
  }
  return draw.boolean() ? 1 : 0;
}

/// 0 ... count-1 in random order.
std::vector<std::size_t> draw_permutation(ChoiceDraw& draw, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i + 1 < count; ++i)
    std::swap(
        order[i],
        order[i + static_cast<std::size_t>(draw.integer(0, static_cast<int64_t>(count - i) - 1))]);
  return order;
}

}  // namespace

int64_t numel_of(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

Numbers draw_values(ChoiceDraw& draw, const Argument& argument, ScalarType dtype) {
  const auto count = static_cast<std::size_t>(numel_of(argument.sizes));
  Numbers values(count);
  // 0: all equal, 1: two values in turn, else free.
  const auto structure = draw.integer(0, 19);
  const std::size_t period = structure == 0 ? 1 : structure == 1 ? 2 : count;
  for (std::size_t i = 0; i < count; ++i)
    values[i] = i < period ? draw_one(draw, argument, dtype) : values[i - period];
  return values;
}

std::vector<Numbers> draw_distinct(ChoiceDraw& draw, const std::vector<Argument>& arguments,
                                   ScalarType dtype) {
  std::vector<Numbers> result(arguments.size());
  std::size_t count = 0;
  for (const Argument& argument : arguments)
    if (argument.distinct && argument.kind == Argument::Kind::Real)
      count += static_cast<std::size_t>(numel_of(argument.sizes));
  const auto rank = draw_permutation(draw, count);
  std::size_t next = 0;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const Argument& argument = arguments[a];
    if (!argument.distinct) continue;
    const auto own = static_cast<std::size_t>(numel_of(argument.sizes));
    if (argument.kind == Argument::Kind::Index) {
      const auto order =
          draw_permutation(draw, std::max(own, static_cast<std::size_t>(argument.index_bound)));
      result[a].assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(own));
      continue;
    }
    const Domain domain = within_range(argument.domain, dtype);
    const double gap = (domain.high - domain.low) / static_cast<double>(count);
    for (std::size_t i = 0; i < own; ++i) {
      const double place = static_cast<double>(rank[next++]) + 0.25 + 0.5 * draw.fraction();
      result[a].push_back(settle(domain.low + gap * place, domain, dtype));
    }
  }
  return result;
}

}  // namespace notape::verify
