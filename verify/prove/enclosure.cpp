#include "verify/prove/enclosure.h"

#include <cmath>
#include <utility>

#include "verify/prove/series.h"

namespace notape::math {
namespace {

thread_local Branches* open_branches = nullptr;

using Series = std::shared_ptr<SeriesPair>;

/// `compute(result, k, terms, bits)` for the series around the middle (k = 0) and that of the whole
/// cell.
template <typename Compute>
Enclosure made(const Compute& compute) {
  const auto pair = std::make_shared<SeriesPair>();
  for (int k = 0; k < 2; ++k) compute(pair->of[k], k, kTerms, kBits[k]);
  return Enclosure(pair);
}
using OfOne = void (*)(arb_poly_t, const arb_poly_t, slong, slong);
Enclosure applied(const Enclosure& x, OfOne function) {
  return made([&](arb_poly_t result, int k, slong terms, slong bits) {
    function(result, x.series().of[k], terms, bits);
  });
}

/// The function of value `start` at the middle whose derivative is `slope` x'.
using OfNumber = void (*)(arb_t, const arb_t, slong);
Enclosure integrated(const Enclosure& x, const Enclosure& slope, OfNumber start) {
  return made([&](arb_poly_t result, int k, slong terms, slong bits) {
    arb_poly_derivative(result, x.series().of[k], bits);
    arb_poly_mullow(result, result, slope.series().of[k], terms, bits);
    arb_poly_integral(result, result, bits);
    arb_poly_truncate(result, terms);
    Ball middle;
    arb_poly_get_coeff_arb(middle.value, x.series().of[k], 0);
    start(middle.value, middle.value, bits);
    arb_poly_set_coeff_arb(result, 0, middle.value);
  });
}

Ball at_middle(const Enclosure& x, int k) {
  Ball ball;
  arb_poly_get_coeff_arb(ball.value, x.series().of[k], 0);
  return ball;
}

/// The whole number that floor gives on all of the cell.
Enclosure step(const Enclosure& x, double shift, const char* name) {
  Ball ball = at_middle(x, 1), down;
  if (!arb_is_finite(ball.value)) return std::numeric_limits<double>::quiet_NaN();
  arb_set_d(down.value, shift);
  arb_add(ball.value, ball.value, down.value, kBits[1]);
  arb_floor(down.value, ball.value, 2 * kBits[1]);
  if (!arb_is_exact(down.value) || !arb_is_int(down.value)) throw Undecided(name);
  return arf_get_d(arb_midref(down.value), ARF_RND_NEAR);
}

Enclosure with_log(int base) {
  return made([base](arb_poly_t result, int, slong, slong bits) {
    Ball number;
    arb_log_ui(number.value, static_cast<ulong>(base), bits);
    arb_poly_set_arb(result, number.value);
  });
}

}  // namespace

Enclosure::Enclosure(double number) {
  const auto pair = std::make_shared<SeriesPair>();
  for (auto& poly : pair->of) {
    Ball ball;
    if (std::isnan(number))
      arb_indeterminate(ball.value);
    else
      arb_set_d(ball.value, number);
    arb_poly_set_arb(poly, ball.value);
  }
  series_ = pair;
}

double Enclosure::truncated() const {
  return arf_get_d(arb_midref(at_middle(trunc(*this), 1).value), ARF_RND_NEAR);
}

Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  return made([&](arb_poly_t result, int k, slong terms, slong bits) {
    arb_poly_add_series(result, a.series().of[k], b.series().of[k], terms, bits);
  });
}
Enclosure operator-(const Enclosure& a, const Enclosure& b) {
  if (&a.series() == &b.series() && arb_is_finite(at_middle(a, 1).value)) return 0;
  return made([&](arb_poly_t result, int k, slong terms, slong bits) {
    arb_poly_sub_series(result, a.series().of[k], b.series().of[k], terms, bits);
  });
}
Enclosure operator*(const Enclosure& a, const Enclosure& b) {
  return made([&](arb_poly_t result, int k, slong terms, slong bits) {
    arb_poly_mullow(result, a.series().of[k], b.series().of[k], terms, bits);
  });
}
Enclosure operator/(const Enclosure& a, const Enclosure& b) {
  return made([&](arb_poly_t result, int k, slong terms, slong bits) {
    arb_poly_div_series(result, a.series().of[k], b.series().of[k], terms, bits);
  });
}
Enclosure operator-(const Enclosure& a) {
  return made(
      [&](arb_poly_t result, int k, slong, slong) { arb_poly_neg(result, a.series().of[k]); });
}

int Enclosure::order(const Enclosure& a, const Enclosure& b) {
  const Ball left = at_middle(a, 1), right = at_middle(b, 1);
  if (arf_is_nan(arb_midref(left.value)) || arf_is_nan(arb_midref(right.value))) return 2;
  if (arb_lt(left.value, right.value)) return -1;
  if (arb_gt(left.value, right.value)) return 1;
  if (arb_is_exact(left.value) && arb_equal(left.value, right.value)) return 0;
  const Enclosure difference = a - b;
  if (arb_poly_is_zero(difference.series().of[1])) return 0;
  if (!open_branches) throw Undecided("a comparison");
  return open_branches->side_of(difference);
}

Branches::Branches() { open_branches = this; }
Branches::~Branches() { open_branches = nullptr; }

int Branches::side_of(const Enclosure& difference) {
  const Enclosure opposite = -difference;
  for (const Choice& choice : taken_) {
    const auto is = [&](const Enclosure& other) {
      return arb_poly_equal(choice.difference.series().of[0], other.series().of[0]) &&
             arb_poly_equal(choice.difference.series().of[1], other.series().of[1]);
    };
    if (is(difference)) return choice.side;
    if (is(opposite)) return -choice.side;
  }
  if (taken_.size() == kMost) throw Undecided("many comparisons");
  if (planned_.size() == taken_.size()) planned_.push_back(-1);
  taken_.push_back({difference, planned_[taken_.size()]});
  return taken_.back().side;
}

bool Branches::next() {
  planned_.resize(taken_.size());
  taken_.clear();
  while (!planned_.empty() && planned_.back() == 1) planned_.pop_back();
  if (planned_.empty()) return false;
  planned_.back() = 1;
  return true;
}

Enclosure exp(const Enclosure& x) { return applied(x, arb_poly_exp_series); }
Enclosure exp2(const Enclosure& x) { return exp(x * with_log(2)); }
Enclosure expm1(const Enclosure& x) { return integrated(x, exp(x), arb_expm1); }
Enclosure log(const Enclosure& x) { return applied(x, arb_poly_log_series); }
Enclosure log2(const Enclosure& x) { return log(x) / with_log(2); }
Enclosure log10(const Enclosure& x) { return log(x) / with_log(10); }
Enclosure log1p(const Enclosure& x) { return applied(x, arb_poly_log1p_series); }
Enclosure sin(const Enclosure& x) {
  return applied(x, [](arb_poly_t y, const arb_poly_t a, slong terms, slong bits) {
    arb_poly_sin_series(y, a, terms, bits);
  });
}
Enclosure cos(const Enclosure& x) {
  return applied(x, [](arb_poly_t y, const arb_poly_t a, slong terms, slong bits) {
    arb_poly_cos_series(y, a, terms, bits);
  });
}
Enclosure tan(const Enclosure& x) { return applied(x, arb_poly_tan_series); }
Enclosure asin(const Enclosure& x) { return integrated(x, 1 / sqrt((1 - x) * (1 + x)), arb_asin); }
Enclosure acos(const Enclosure& x) { return integrated(x, -1 / sqrt((1 - x) * (1 + x)), arb_acos); }
Enclosure atan(const Enclosure& x) { return applied(x, arb_poly_atan_series); }
Enclosure sinh(const Enclosure& x) {
  return applied(x, [](arb_poly_t y, const arb_poly_t a, slong terms, slong bits) {
    arb_poly_sinh_series(y, a, terms, bits);
  });
}
Enclosure cosh(const Enclosure& x) {
  return applied(x, [](arb_poly_t y, const arb_poly_t a, slong terms, slong bits) {
    arb_poly_cosh_series(y, a, terms, bits);
  });
}
Enclosure tanh(const Enclosure& x) {
  const Enclosure slope = 1 / cosh(x);
  return integrated(x, slope * slope, arb_tanh);
}
Enclosure asinh(const Enclosure& x) { return integrated(x, 1 / sqrt(x * x + 1), arb_asinh); }
Enclosure acosh(const Enclosure& x) {
  return integrated(x, 1 / sqrt((x - 1) * (x + 1)), arb_acosh);
}
Enclosure atanh(const Enclosure& x) { return integrated(x, 1 / ((1 - x) * (1 + x)), arb_atanh); }
Enclosure erf(const Enclosure& x) { return applied(x, arb_hypgeom_erf_series); }
Enclosure erfc(const Enclosure& x) { return applied(x, arb_hypgeom_erfc_series); }
/// log |gamma(x)|, by reflection of negative numbers.
Enclosure lgamma(const Enclosure& x) {
  if (x > 0) return applied(x, arb_poly_lgamma_series);
  const Enclosure pi = made([](arb_poly_t result, int, slong, slong bits) {
    Ball number;
    arb_const_pi(number.value, bits);
    arb_poly_set_arb(result, number.value);
  });
  return log(pi / abs(applied(x, arb_poly_sin_pi_series))) - lgamma(1 - x);
}
Enclosure lgamma_without_sign(const Enclosure& x) { return lgamma(x); }

Enclosure sqrt(const Enclosure& x) { return applied(x, arb_poly_sqrt_series); }
Enclosure floor(const Enclosure& x) { return step(x, 0, "floor"); }
Enclosure ceil(const Enclosure& x) { return -step(-x, 0, "ceil"); }
Enclosure rint(const Enclosure& x) { return step(x, 0.5, "round"); }
Enclosure trunc(const Enclosure& x) {
  // (-1, 1) has no step at 0.
  const Ball ball = at_middle(x, 1);
  if (arb_is_finite(ball.value) && arf_cmpabs_ui(arb_midref(ball.value), 1) < 0) {
    Ball size;
    arb_abs(size.value, ball.value);
    arb_sub_ui(size.value, size.value, 1, kBits[1]);
    if (arb_is_negative(size.value)) return 0;
  }
  return x < 0 ? ceil(x) : floor(x);
}
Enclosure pow(const Enclosure& x, const Enclosure& y) {
  Ball exponent = at_middle(y, 1);
  if (arb_poly_degree(y.series().of[1]) > 0 || !arb_is_exact(exponent.value))
    return exp(y * log(x));
  return made([&](arb_poly_t result, int k, slong terms, slong bits) {
    const Ball own = at_middle(y, k);
    arb_poly_pow_arb_series(result, x.series().of[k], own.value, terms, bits);
  });
}
Enclosure atan2(const Enclosure& y, const Enclosure& x) {
  // The angle turns as atan does, from where its value is at the middle.
  const Enclosure square = x * x + y * y;
  return made([&](arb_poly_t result, int k, slong terms, slong bits) {
    Poly rising, falling;
    arb_poly_derivative(rising.value, y.series().of[k], bits);
    arb_poly_mullow(rising.value, rising.value, x.series().of[k], terms, bits);
    arb_poly_derivative(falling.value, x.series().of[k], bits);
    arb_poly_mullow(falling.value, falling.value, y.series().of[k], terms, bits);
    arb_poly_sub(rising.value, rising.value, falling.value, bits);
    arb_poly_div_series(result, rising.value, square.series().of[k], terms, bits);
    arb_poly_integral(result, result, bits);
    arb_poly_truncate(result, terms);
    Ball angle;
    arb_atan2(angle.value, at_middle(y, k).value, at_middle(x, k).value, bits);
    arb_poly_set_coeff_arb(result, 0, angle.value);
  });
}
Enclosure hypot(const Enclosure& x, const Enclosure& y) { return sqrt(x * x + y * y); }
Enclosure fmod(const Enclosure& x, const Enclosure& y) { return x - trunc(x / y) * y; }
bool signbit(const Enclosure& x) { return x < 0; }
Enclosure abs(const Enclosure& x) { return x < 0 ? -x : x; }

}  // namespace notape::math

notape::math::Enclosure std::numeric_limits<notape::math::Enclosure>::max() {
  static const auto largest = [] {
    notape::math::Enclosure power = 0x1p1000;
    for (int i = 0; i < 4; ++i) power *= power;
    return power;
  }();
  return largest;
}
notape::math::Enclosure std::numeric_limits<notape::math::Enclosure>::min() { return 1 / max(); }
