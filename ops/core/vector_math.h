// Vector<float> and Vector<double>: several numbers at once, and math:: for them, so that the
// functor of an operator is its vector kernel too. SLEEF computes each within one ulp; in a build
// without it the C library does, number by number.
#pragma once
#ifndef __CUDACC__
#include <experimental/simd>

#ifdef NOTAPE_HAVE_SLEEF
#include <sleef.h>
#endif

#include "ops/core/device_function.h"

namespace notape {

#ifdef __AVX__
inline constexpr std::size_t kVectorBytes = 32;
#else
inline constexpr std::size_t kVectorBytes = 16;
#endif

template <typename T>
using Vector =
    std::experimental::simd<T, std::experimental::simd_abi::deduce_t<T, kVectorBytes / sizeof(T)>>;
/// What functions deduce.
template <typename T, typename Abi>
using Numbers = std::experimental::simd<T, Abi>;

namespace detail {

/// The library's functions.
template <typename T>
struct VectorLibrary;

#if !defined(NOTAPE_HAVE_SLEEF)
template <typename T>
struct VectorLibrary {
  using Unary = T (*)(T);
  using Binary = T (*)(T, T);
#define NOTAPE_FUNCTION(name, ...) static constexpr Unary name = math::name;
#include "ops/core/math_functions.h"
  static constexpr Binary pow = math::pow, atan2 = math::atan2, hypot = math::hypot;
};
#elif defined(__AVX__)
template <>
struct VectorLibrary<float> {
#define NOTAPE_FUNCTION(name, error, ...) static constexpr auto name = Sleef_##name##f8_##error;
#include "ops/core/math_functions.h"
  static constexpr auto pow = Sleef_powf8_u10, atan2 = Sleef_atan2f8_u10, hypot = Sleef_hypotf8_u05;
};
template <>
struct VectorLibrary<double> {
#define NOTAPE_FUNCTION(name, error, ...) static constexpr auto name = Sleef_##name##d4_##error;
#include "ops/core/math_functions.h"
  static constexpr auto pow = Sleef_powd4_u10, atan2 = Sleef_atan2d4_u10, hypot = Sleef_hypotd4_u05;
};
#else
template <>
struct VectorLibrary<float> {
#define NOTAPE_FUNCTION(name, error, ...) static constexpr auto name = Sleef_##name##f4_##error;
#include "ops/core/math_functions.h"
  static constexpr auto pow = Sleef_powf4_u10, atan2 = Sleef_atan2f4_u10, hypot = Sleef_hypotf4_u05;
};
template <>
struct VectorLibrary<double> {
#define NOTAPE_FUNCTION(name, error, ...) static constexpr auto name = Sleef_##name##d2_##error;
#include "ops/core/math_functions.h"
  static constexpr auto pow = Sleef_powd2_u10, atan2 = Sleef_atan2d2_u10, hypot = Sleef_hypotd2_u05;
};
#endif

template <typename Result, typename Register, typename V>
V call(Result (*f)(Register), const V& x) {
  if constexpr (std::is_arithmetic_v<Register>)
    return V([&](auto lane) { return f(x[lane]); });
  else
    return V(f(static_cast<Register>(x)));
}
template <typename Result, typename Register, typename V>
V call(Result (*f)(Register, Register), const V& x, const V& y) {
  if constexpr (std::is_arithmetic_v<Register>)
    return V([&](auto lane) { return f(x[lane], y[lane]); });
  else
    return V(f(static_cast<Register>(x), static_cast<Register>(y)));
}

}  // namespace detail

namespace math {

inline constexpr double kLog2 = 0.693147180559945309417;

template <typename T, typename Abi>
Numbers<T, Abi> exp(const Numbers<T, Abi>& x);
template <typename T, typename Abi>
Numbers<T, Abi> log(const Numbers<T, Abi>& x);
template <typename T, typename Abi>
Numbers<T, Abi> abs(const Numbers<T, Abi>& x) {
  return std::experimental::abs(x);
}

// What corrects a result of SLEEF's (math_functions.h).
template <typename V>
V as_it_is(const V&, const V& result) {
  return result;
}
/// log1p, where 1 does not count.
template <typename T, typename Abi>
Numbers<T, Abi> log_if_large(const Numbers<T, Abi>& x, Numbers<T, Abi> result) {
  const auto large = x > T(0x1p60);
  if (any_of(large)) [[unlikely]]
    where(large, result) = math::log(x);
  return result;
}
/// acosh, where 1 does not count.
template <typename T, typename Abi>
Numbers<T, Abi> log_of_twice(const Numbers<T, Abi>& x, Numbers<T, Abi> result) {
  const auto large = x > T(0x1p60);
  if (any_of(large)) [[unlikely]]
    where(large, result) = math::log(x) + static_cast<T>(kLog2);
  return result;
}
/// asinh
template <typename T, typename Abi>
Numbers<T, Abi> odd_log_of_twice(const Numbers<T, Abi>& x, const Numbers<T, Abi>& result) {
  Numbers<T, Abi> fixed = log_of_twice(x, result);
  const auto large = x < T(-0x1p60);
  if (any_of(large)) [[unlikely]]
    where(large, fixed) = -log_of_twice(-x, result);
  return fixed;
}
/// lgamma: between negative whole numbers it is zero twice, and SLEEF's loses its digits there.
template <typename T, typename Abi>
Numbers<T, Abi> lgamma_if_negative(const Numbers<T, Abi>& x, const Numbers<T, Abi>& result) {
  if (none_of(x < T(0))) [[likely]]
    return result;
  return Numbers<T, Abi>([&](auto lane) {
    const T one = x[lane];
    return one < T(0) ? math::lgamma_without_sign(one) : static_cast<T>(result[lane]);
  });
}
/// cosh: (e^(|x| / 2))^2 / 2.
template <typename T, typename Abi>
Numbers<T, Abi> even_if_large(const Numbers<T, Abi>& x, Numbers<T, Abi> result) {
  const auto large = math::abs(x) > T(sizeof(T) == 4 ? 80 : 700);
  if (none_of(large)) [[likely]]
    return result;
  const Numbers<T, Abi> root = math::exp(math::abs(x) / T(2));
  where(large, result) = root / T(2) * root;
  return result;
}
/// sinh
template <typename T, typename Abi>
Numbers<T, Abi> odd_if_large(const Numbers<T, Abi>& x, const Numbers<T, Abi>& result) {
  Numbers<T, Abi> fixed = even_if_large(x, result);
  where(x < T(0) && fixed > T(0), fixed) = -fixed;
  return fixed;
}

#define NOTAPE_FUNCTION(name, error, correction, ...)                                      \
  template <typename T, typename Abi>                                                      \
  Numbers<T, Abi> name(const Numbers<T, Abi>& x) {                                         \
    return correction(x, notape::detail::call(notape::detail::VectorLibrary<T>::name, x)); \
  }
#include "ops/core/math_functions.h"

template <typename T, typename Abi>
Numbers<T, Abi> pow(const Numbers<T, Abi>& x, const Numbers<T, Abi>& y) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::pow, x, y);
}
template <typename T, typename Abi>
Numbers<T, Abi> atan2(const Numbers<T, Abi>& x, const Numbers<T, Abi>& y) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::atan2, x, y);
}
template <typename T, typename Abi>
Numbers<T, Abi> hypot(const Numbers<T, Abi>& x, const Numbers<T, Abi>& y) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::hypot, x, y);
}
template <typename T, typename Abi>
Numbers<T, Abi> sqrt(const Numbers<T, Abi>& x) {
  return std::experimental::sqrt(x);
}

template <typename T, typename Abi>
Numbers<T, Abi> select(const typename Numbers<T, Abi>::mask_type& condition,
                       const Numbers<T, Abi>& a, const Numbers<T, Abi>& b) {
  Numbers<T, Abi> result = b;
  where(condition, result) = a;
  return result;
}
template <typename T, typename Abi>
Numbers<T, Abi> max(const Numbers<T, Abi>& a, const Numbers<T, Abi>& b) {
  return math::select((a != a) || (a > b), a, b);
}

}  // namespace math
}  // namespace notape
#endif
