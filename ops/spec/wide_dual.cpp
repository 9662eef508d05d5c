#include "ops/spec/wide_dual.h"

#include <quadmath.h>

#include <algorithm>
#include <cmath>

#include "ops/core/polygamma.h"

namespace notape::math {
namespace {

thread_local BranchTrace* open_trace = nullptr;

/// f(x) with derivative `factor` there. What does not move has slope 0 even where the factor is
/// infinite.
WideDual chained(const WideDual& x, Wide value, Wide factor) {
  return {value, x.slope == 0 ? Wide(0) : factor * x.slope, x.moves};
}

/// A step function, whose nearest step is at `jump`.
WideDual step(const WideDual& x, Wide value, Wide jump) {
  WideDual::noted(x, WideDual(jump), true);
  return {value, 0, false};
}

/// 1 - y^2 without the digits that 1 - y has lost where y = tanh(x) is nearly 1.
Wide slope_of_tanh(Wide x) {
  const Wide small = math::exp(-2 * math::abs(x));
  return 4 * small / ((1 + small) * (1 + small));
}
Wide slope_of_erf(Wide x) {
  static const Wide factor = 1 / math::sqrt(atanq(1));  // 2 / sqrt(pi)
  return factor * math::exp(-x * x);
}

}  // namespace

bool WideDual::noted(const WideDual& a, const WideDual& b, bool outcome) {
  // (A number compared with itself, to see whether it is NaN, is no branch.)
  if (open_trace && &a != &b) open_trace->comparisons_.push_back({a - b, outcome});
  return outcome;
}

WideDual::operator int64_t() const {
  WideDual::noted(*this, WideDual(rintq(value)), true);
  return static_cast<int64_t>(value);
}

BranchTrace::BranchTrace() : outer_(open_trace) { open_trace = this; }
BranchTrace::~BranchTrace() { open_trace = outer_; }

Wide BranchTrace::distance() const {
  Wide nearest = HUGE_VAL;
  for (const Comparison& one : comparisons_)
    if (one.gap.slope != 0)
      nearest = std::min(nearest, math::abs(one.gap.value / one.gap.slope));
    else if (one.gap.moves && one.gap.value == 0)
      nearest = 0;  // a tie to first order, as of x^2 and 0
  return nearest;
}

#define NOTAPE_FUNCTION(name, error, correction, slope_of_it) \
  WideDual name(const WideDual& dual) {                       \
    const Wide x = dual.value;                                \
    [[maybe_unused]] const Wide y = math::name(x);            \
    return chained(dual, y, slope_of_it);                     \
  }
#include "ops/core/math_functions.h"

WideDual sqrt(const WideDual& x) {
  const Wide y = math::sqrt(x.value);
  if (x.value == 0 && x.moves) WideDual::noted(x, WideDual(0), true);  // a kink, if x is a square
  return chained(x, y, 1 / (2 * y));
}
WideDual floor(const WideDual& x) { return step(x, math::floor(x.value), rintq(x.value)); }
WideDual ceil(const WideDual& x) { return step(x, math::ceil(x.value), rintq(x.value)); }
WideDual trunc(const WideDual& x) { return step(x, math::trunc(x.value), rintq(x.value)); }
WideDual rint(const WideDual& x) {
  return step(x, math::rint(x.value), math::floor(x.value) + Wide(0.5));
}
WideDual atan2(const WideDual& y, const WideDual& x) {
  const Wide square = x.value * x.value + y.value * y.value;
  WideDual result(math::atan2(y.value, x.value), 0, x.moves || y.moves);
  if (x.value < 0) WideDual::noted(y, WideDual(0), true);  // jumps from pi to -pi
  if (y.slope != 0) result.slope += x.value / square * y.slope;
  if (x.slope != 0) result.slope -= y.value / square * x.slope;
  return result;
}
WideDual hypot(const WideDual& x, const WideDual& y) {
  WideDual result(math::hypot(x.value, y.value), 0, x.moves || y.moves);
  if (result.value == 0) {
    if (result.moves) WideDual::noted(x.moves ? x : y, WideDual(0), true);  // a cone's tip
    return result;
  }
  if (x.slope != 0) result.slope += x.value / result.value * x.slope;
  if (y.slope != 0) result.slope += y.value / result.value * y.slope;
  return result;
}
WideDual fmod(const WideDual& x, const WideDual& y) {
  const WideDual turns = math::trunc(x / y);
  WideDual result = x - turns * y;
  result.value = math::fmod(x.value, y.value);
  return result;
}
bool signbit(const WideDual& x) { return WideDual::noted(x, WideDual(0), math::signbit(x.value)); }
WideDual pow(const WideDual& x, const WideDual& y) {
  const Wide power = math::pow(x.value, y.value);
  WideDual result(power, 0, x.moves || y.moves);
  if (x.value == 0 && x.moves && rintq(y.value) != y.value) WideDual::noted(x, WideDual(0), true);
  if (x.slope != 0 && y.value != 0)
    result.slope += y.value * math::pow(x.value, y.value - 1) * x.slope;
  if (y.slope != 0 && (power != 0 || x.value < 0))  // no number for x < 0
    result.slope += power * math::log(x.value) * y.slope;
  return result;
}
WideDual abs(const WideDual& x) { return x < WideDual(0) ? -x : x; }

}  // namespace notape::math
