// Powers of numbers, on both devices: what pow.cpp's kernels share. Scalar and tensor exponents
// give the same bits because both come here.
#pragma once
#include <limits>

#include "ops/core/device_function.h"
#include "ops/core/log2_exp2.h"
#include "ops/core/product_error.h"
#include "ops/core/vector_math.h"

namespace notape::math {

/// Wraps around; a negative exponent gives 0 unless the base is 1 or -1.
template <typename T>
NOTAPE_HD T integer_power(T base, int64_t exponent) {
  if (exponent < 0) {
    if (base == T(1)) return base;
    const bool minus_one = std::is_signed_v<T> && base == static_cast<T>(-1);
    return minus_one ? static_cast<T>(exponent % 2 == 0 ? 1 : -1) : T(0);
  }
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent >>= 1, square *= square)
    if (exponent & 1) result *= square;
  return static_cast<T>(result);
}

/// x^p. Small multiples of 1/2 are computed as one would write them.
template <typename T, typename Exponent>
NOTAPE_HD T real_power(T x, Exponent p) {
  if (p == Exponent(2)) return x * x;
  if (p == Exponent(3)) return x * x * x;
  if (p == Exponent(1)) return x;
  if (p == Exponent(0.5)) return math::sqrt(x);
  if (p == Exponent(-0.5)) return T(1) / math::sqrt(x);
  if (p == Exponent(-1)) return T(1) / x;
  if (p == Exponent(-2)) return T(1) / x / x;  // x * x may be out of range where 1 / x^2 is not
  return math::pow(x, T(p));
}

/// Whether x is finite and no smaller than the smallest normal number.
template <typename T>
NOTAPE_HD bool is_normal(T x) {
  const T size = math::abs(x);
  return size >= std::numeric_limits<T>::min() && size <= std::numeric_limits<T>::max();
}

/// Whether p is odd; it is a small whole number, or none.
template <typename T>
NOTAPE_HD bool is_odd(T p) {
  return math::abs(p) < T(0x1p20) && static_cast<int64_t>(p) % 2 != 0;
}

/// factor x^(p + low), also where x^p alone is out of range. `low` is what p has lost by rounding.
template <typename T>
NOTAPE_HD T scaled_power(T factor, T x, T p, T low) {
  const T power = real_power(x, p), size = math::abs(x);
  const bool unbounded = math::abs(factor) > std::numeric_limits<T>::max();
  if (low != T(0)) {
    const T correction = low * math::log(size);  // large only for exponents that leave 0 or inf
    if (math::abs(correction) < T(1) && !unbounded) factor += factor * correction;
    if (x < T(0) && is_odd(low)) factor = -factor;  // of a whole number p + low
  }
  // The exponent was too large for its own product: it decides, wherever |x| is not 1.
  if (power == T(0) && math::abs(factor) > std::numeric_limits<T>::max()) return T(0);
  if (is_normal(power) || power != power || p == T(0) || size == T(0) ||
      size > std::numeric_limits<T>::max())
    return factor * power;
  const T root = real_power(size, p * T(0.5));
  const bool negative = power < T(0) || (power == T(0) && T(1) / power < T(0));
  return (negative ? -factor : factor) * root * root;
}

/// Whether real_power computes them otherwise than by a power.
template <typename T>
NOTAPE_HD bool has_own_formula(T p) {
  return (p == T(2)) | (p == T(3)) | (p == T(1)) | (p == T(0.5)) | (p == T(-0.5)) | (p == T(-1)) |
         (p == T(-2));
}

// For floats that log2_exp2.h is enough for.
NOTAPE_HD inline bool is_finite(float x) {
  return math::abs(x) <= std::numeric_limits<float>::max();
}
/// Whether all conditions hold, none being left out: with && a loop would have branches.
template <typename... Bools>
NOTAPE_HD constexpr bool every(Bools... conditions) {
  return (conditions & ...);
}
NOTAPE_HD inline bool is_simple_base(float x) { return every(is_finite(x), x != 0.0f); }
/// Not a number for a negative x.
NOTAPE_HD inline double log_in_double(double x) {
  const double size = log2_in_double(std::fabs(x)) * 0.693147180559945309417;
  return x < 0 ? std::numeric_limits<double>::quiet_NaN() : size;
}

inline constexpr int kMaxPowerLogs = 15;

/// The derivative of a^b, `da` times by a and `db` <= kMaxPowerLogs times by b.
///
/// With D = d/db + L, L = log(a), it is a^(b - da) times D^db of f = b (b-1) ... (b-da+1), and
/// D^i[(b - m) f] = (b - m) D^i f + i D^(i-1) f, starting from D^i 1 = L^i.
/// At a = 0 it is the limit, save where 0^(b-da) jumps from 1 to 0: there the terms in L count as
/// 0, so that 0^b has derivative 0 for b >= 0 and -inf for b < 0. No case gives 0 * inf.
template <typename T>
NOTAPE_HD T power_derivative(T a, T b, int da, int db) {
  const bool at_zero = a == T(0);
  const T exponent = b - static_cast<T>(da);
  if (at_zero && b != b) return b;
  if (at_zero && exponent > T(0)) return T(0);
  const T logarithm = at_zero || db == 0 ? T(0) : math::log(a);
  T d[kMaxPowerLogs + 1];  // d[i] = D^i f
  d[0] = T(1);
  for (int i = 1; i <= db; ++i) d[i] = d[i - 1] * logarithm;
  for (int m = 0; m < da; ++m)
    for (int i = db; i >= 0; --i) {
      const T step = b - static_cast<T>(m), scaled = step == T(0) ? T(0) : d[i] * step;
      d[i] = scaled + (i > 0 ? static_cast<T>(i) * d[i - 1] : T(0));
    }
  if (at_zero && exponent < T(0) && db > 0) {
    // The highest power of L whose factor is not 0: L^db with f, else L^(db-1) with f'.
    const bool root = d[0] == T(0);
    const T factor = root ? d[1] : d[0];
    const bool flip = (root ? db - 1 : db) % 2 != 0;
    return (flip ? -factor : factor) * real_power(T(0), exponent);
  }
  if (d[db] == T(0)) return T(0);
  // Factors beyond the range (inf - inf) of a power that is 0: as in scaled_power.
  if (d[db] != d[db] && b == b && logarithm == logarithm && real_power(a, exponent) == T(0))
    return T(0);
  const T low = difference_error(b, static_cast<T>(da), exponent);
  if (at_zero || low != low) {
    const T power = real_power(a, exponent);
    return power == T(0) && d[db] == d[db] ? T(0) : d[db] * power;
  }
  return scaled_power(d[db], a, exponent, low);
}

#ifndef __CUDACC__
/// The same for several numbers, each with its own exponent.
template <typename T, typename Abi>
Numbers<T, Abi> real_power(const Numbers<T, Abi>& x, const Numbers<T, Abi>& p) {
  const T first = p[0];
  if (all_of(p == first)) return real_power(x, first);
  Numbers<T, Abi> result = math::pow(x, p);
  for (const double simple : {2.0, 3.0, 1.0, 0.5, -0.5, -1.0, -2.0}) {
    const auto here = p == static_cast<T>(simple);
    if (any_of(here)) where(here, result) = real_power(x, static_cast<T>(simple));
  }
  return result;
}
/// All with one exponent. What is out of range is left to the single numbers.
template <typename T, typename Abi>
Numbers<T, Abi> scaled_power(T factor, const Numbers<T, Abi>& x, T p, T low) {
  const Numbers<T, Abi> power = real_power(x, p), size = math::abs(power);
  Numbers<T, Abi> result = factor * power;
  if (low != T(0)) {
    const Numbers<T, Abi> correction = low * math::log(math::abs(x));
    if (math::abs(factor) <= std::numeric_limits<T>::max())
      where(math::abs(correction) < T(1), result) = (factor + factor * correction) * power;
    if (is_odd(low)) where(x < T(0), result) = -result;
  }
  const auto out_of_range =
      !(size >= std::numeric_limits<T>::min() && size <= std::numeric_limits<T>::max());
  if (any_of(out_of_range)) [[unlikely]]
    where(out_of_range, result) = Numbers<T, Abi>([&](auto lane) -> T {
      return out_of_range[lane] ? scaled_power(factor, static_cast<T>(x[lane]), p, low) : T(0);
    });
  return result;
}
template <typename T, typename Abi>
Numbers<T, Abi> power_derivative(const Numbers<T, Abi>& a, const Numbers<T, Abi>& b, int da,
                                 int db) {
  return Numbers<T, Abi>([&](auto lane) -> T {
    return power_derivative(static_cast<T>(a[lane]), static_cast<T>(b[lane]), da, db);
  });
}
#endif

}  // namespace notape::math
