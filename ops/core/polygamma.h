// The derivatives of log gamma, for doubles and 113-bit numbers: by recurrence to where an
// asymptotic series holds, and by reflection for negative numbers (Abramowitz and
// Stegun, 6.3, 6.4).
#pragma once
#include "ops/core/device_function.h"

namespace notape::math {
namespace polygamma_detail {

inline constexpr double kPi = 3.141592653589793, kPiLow = 1.2246467991473532e-16,
                        kPiLowest = -2.9947698097183397e-33;

/// The Bernoulli number B(2 j) for j from 1 to 15.
template <typename T>
NOTAPE_HD T bernoulli(int j) {
  constexpr double kAbove[] = {1,      -1,         1,       -1,           5,
                               -691,   7,          -3617,   43867,        -174611,
                               854513, -236364091, 8553103, -23749461029, 8615841276005};
  constexpr double kBelow[] = {6, 30, 42, 30, 66, 2730, 6, 510, 798, 330, 138, 2730, 6, 870, 14322};
  return T(kAbove[j - 1]) / T(kBelow[j - 1]);
}
/// How many terms of a series are taken, and from where on they are enough.
template <typename T>
inline constexpr int kTerms = sizeof(T) == 8 ? 9 : 15;
template <typename T>
inline constexpr int kFrom = sizeof(T) == 8 ? 10 : 30;

/// digamma around its zero between 1 and 2, where the terms of everything else cancel.
NOTAPE_HD inline double near_zero_of_digamma(double x) {
  constexpr double kSeries[] = {
      0.9676722454476212,     -0.4427631689835921,    0.258499760955651,    -0.16394270544240652,
      0.10782405069126237,    -0.07219956125645471,   0.04880428816414311,  -0.03316112647484736,
      0.022597648232218104,   -0.01542476590494896,   0.010538791616612175, -0.007204534386356869,
      0.004926781395729853,   -0.003369801655439328,  0.002305126306734928, -0.0015769367714301972,
      0.0010788252019162967,  -0.0007380709389960052, 0.000504953265834602, -0.0003454680251063077,
      0.00023635601564027053, -0.00016170622091974803};
  const double off = (x - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54;
  double sum = 0;
  for (int k = 21; k >= 0; --k) sum = sum * off + kSeries[k];
  return sum * off;
}

/// x^-s. Of 113 bits some may be lost, and powers are slow.
template <typename T>
NOTAPE_HD T inverse_power(T x, int s) {
  if constexpr (sizeof(T) == 8) return math::pow(x, T(-s));
  T result = T(1);
  for (T factor = T(1) / x; s > 0; s /= 2, factor *= factor)
    if (s % 2 == 1) result *= factor;
  return result;
}

/// The Hurwitz zeta function at a whole s > 1 and x > 0: the sum of (x + k)^-s.
template <typename T>
NOTAPE_HD T zeta(int s, T x) {
  T sum = T(0);
  for (; x < T(kFrom<T> + s); x += T(1)) sum += inverse_power(x, s);
  const T power = inverse_power(x, s), square = x * x;
  sum += inverse_power(x, s - 1) / T(s - 1) + power / T(2);
  T term = power * T(s) / x;  // s (s + 1) ... (s + 2 j - 2) / (2 j)! x^(-s - 2 j + 1), of B(2 j)
  for (int j = 1; j <= kTerms<T>; ++j) {
    term /= j == 1 ? T(2) : T(2 * j * (2 * j - 1));
    sum += bernoulli<T>(j) * term;
    term *= T(s + 2 * j - 1) * T(s + 2 * j) / square;
  }
  return sum;
}

}  // namespace polygamma_detail

/// The derivative of log |gamma(x)|: infinite at 0, NaN at negative whole numbers.
template <typename T>
NOTAPE_HD T digamma(T x) {
  using namespace polygamma_detail;
  T reflected = T(0);
  if (x == T(0)) return T(-1) / x;
  if (x < T(0)) {
    const T from_pole = x - math::rint(x), pi = T(kPi) + T(kPiLow) + T(kPiLowest);
    if (from_pole == T(0)) return from_pole / from_pole;
    reflected = pi / math::tan(pi * from_pole);
    x = T(1) - x;
  }
  if constexpr (std::is_same_v<T, double>)
    if (math::abs(x - 1.46) < 0.3) return near_zero_of_digamma(x) - reflected;
  T sum = T(0), lost = T(0);  // of 1 / x, and what its roundings leave out
  for (; x < T(kFrom<T>); x += T(1)) {
    const T term = T(1) / x, longer = sum + term;
    lost += (sum - longer) + term;
    sum = longer;
  }
  T series = T(1) / (T(2) * x);
  for (T j = T(1), power = x * x; j <= T(kTerms<T>); j += T(1), power *= x * x)
    series += bernoulli<T>(static_cast<int>(j)) / (T(2) * j * power);
  const T logarithm = math::log(x), main = logarithm - sum;
  if (sum == T(0)) return main - series - reflected;
  return main - (sum - (logarithm - main) + lost + series) - reflected;
}

/// The derivative of digamma of this order, from 1 to 169: (-1)^(n + 1) n! zeta(n + 1, x). Infinite
/// at 0 and at negative whole numbers.
template <typename T>
NOTAPE_HD T polygamma(int order, T x) {
  using namespace polygamma_detail;
  const int s = order + 1;
  T factor = order % 2 == 0 ? T(-1) : T(1), result;
  for (int i = 2; i <= order; ++i) factor *= T(i);
  if (x > T(0)) {
    result = zeta(s, x);
  } else {  // the sum over all whole numbers without those from x down
    const T whole = math::floor(x), above = x - whole, below = (whole + T(1)) - x;
    if (above == T(0)) return factor / above;
    const T down = zeta(s, below) - zeta(s, T(1) - x);
    result = zeta(s, above) + (s % 2 == 0 ? down : -down);
  }
  return factor * result;
}

/// digamma and its derivatives: a family of functions (ops/elementwise/of_order.h).
struct Polygammas {
  template <typename T>
  static NOTAPE_HD T of(int order, T x) {
    return order == 0 ? math::digamma(x) : math::polygamma(order, x);
  }
};

}  // namespace notape::math
