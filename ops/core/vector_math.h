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
  static constexpr Unary exp = math::exp, log = math::log, log1p = math::log1p, sin = math::sin,
                         cos = math::cos, tanh = math::tanh, erf = math::erf, expm1 = math::expm1,
                         exp2 = math::exp2, log2 = math::log2, log10 = math::log10, tan = math::tan,
                         asin = math::asin, acos = math::acos, atan = math::atan, sinh = math::sinh,
                         cosh = math::cosh, asinh = math::asinh, acosh = math::acosh,
                         atanh = math::atanh, erfc = math::erfc;
  static constexpr Binary pow = math::pow, atan2 = math::atan2, hypot = math::hypot;
};
#elif defined(__AVX__)
template <>
struct VectorLibrary<float> {
  static constexpr auto exp = Sleef_expf8_u10, log = Sleef_logf8_u10, log1p = Sleef_log1pf8_u10,
                        sin = Sleef_sinf8_u10, cos = Sleef_cosf8_u10, tanh = Sleef_tanhf8_u10,
                        erf = Sleef_erff8_u10, expm1 = Sleef_expm1f8_u10, exp2 = Sleef_exp2f8_u10,
                        log2 = Sleef_log2f8_u10, log10 = Sleef_log10f8_u10, tan = Sleef_tanf8_u10,
                        asin = Sleef_asinf8_u10, acos = Sleef_acosf8_u10, atan = Sleef_atanf8_u10,
                        sinh = Sleef_sinhf8_u10, cosh = Sleef_coshf8_u10, asinh = Sleef_asinhf8_u10,
                        acosh = Sleef_acoshf8_u10, atanh = Sleef_atanhf8_u10,
                        erfc = Sleef_erfcf8_u15;
  static constexpr auto pow = Sleef_powf8_u10, atan2 = Sleef_atan2f8_u10, hypot = Sleef_hypotf8_u05;
};
template <>
struct VectorLibrary<double> {
  static constexpr auto exp = Sleef_expd4_u10, log = Sleef_logd4_u10, log1p = Sleef_log1pd4_u10,
                        sin = Sleef_sind4_u10, cos = Sleef_cosd4_u10, tanh = Sleef_tanhd4_u10,
                        erf = Sleef_erfd4_u10, expm1 = Sleef_expm1d4_u10, exp2 = Sleef_exp2d4_u10,
                        log2 = Sleef_log2d4_u10, log10 = Sleef_log10d4_u10, tan = Sleef_tand4_u10,
                        asin = Sleef_asind4_u10, acos = Sleef_acosd4_u10, atan = Sleef_atand4_u10,
                        sinh = Sleef_sinhd4_u10, cosh = Sleef_coshd4_u10, asinh = Sleef_asinhd4_u10,
                        acosh = Sleef_acoshd4_u10, atanh = Sleef_atanhd4_u10,
                        erfc = Sleef_erfcd4_u15;
  static constexpr auto pow = Sleef_powd4_u10, atan2 = Sleef_atan2d4_u10, hypot = Sleef_hypotd4_u05;
};
#else
template <>
struct VectorLibrary<float> {
  static constexpr auto exp = Sleef_expf4_u10, log = Sleef_logf4_u10, log1p = Sleef_log1pf4_u10,
                        sin = Sleef_sinf4_u10, cos = Sleef_cosf4_u10, tanh = Sleef_tanhf4_u10,
                        erf = Sleef_erff4_u10, expm1 = Sleef_expm1f4_u10, exp2 = Sleef_exp2f4_u10,
                        log2 = Sleef_log2f4_u10, log10 = Sleef_log10f4_u10, tan = Sleef_tanf4_u10,
                        asin = Sleef_asinf4_u10, acos = Sleef_acosf4_u10, atan = Sleef_atanf4_u10,
                        sinh = Sleef_sinhf4_u10, cosh = Sleef_coshf4_u10, asinh = Sleef_asinhf4_u10,
                        acosh = Sleef_acoshf4_u10, atanh = Sleef_atanhf4_u10,
                        erfc = Sleef_erfcf4_u15;
  static constexpr auto pow = Sleef_powf4_u10, atan2 = Sleef_atan2f4_u10, hypot = Sleef_hypotf4_u05;
};
template <>
struct VectorLibrary<double> {
  static constexpr auto exp = Sleef_expd2_u10, log = Sleef_logd2_u10, log1p = Sleef_log1pd2_u10,
                        sin = Sleef_sind2_u10, cos = Sleef_cosd2_u10, tanh = Sleef_tanhd2_u10,
                        erf = Sleef_erfd2_u10, expm1 = Sleef_expm1d2_u10, exp2 = Sleef_exp2d2_u10,
                        log2 = Sleef_log2d2_u10, log10 = Sleef_log10d2_u10, tan = Sleef_tand2_u10,
                        asin = Sleef_asind2_u10, acos = Sleef_acosd2_u10, atan = Sleef_atand2_u10,
                        sinh = Sleef_sinhd2_u10, cosh = Sleef_coshd2_u10, asinh = Sleef_asinhd2_u10,
                        acosh = Sleef_acoshd2_u10, atanh = Sleef_atanhd2_u10,
                        erfc = Sleef_erfcd2_u15;
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

/// What sinh and cosh are where SLEEF's overflow too soon: (e^(|x| / 2))^2 / 2.
template <typename T, typename Abi>
Numbers<T, Abi> even_in_range(const Numbers<T, Abi>& x, const Numbers<T, Abi>& result) {
  const auto large = std::experimental::abs(x) > T(sizeof(T) == 4 ? 80 : 700);
  if (none_of(large)) [[likely]]
    return result;
  const Numbers<T, Abi> root = call(VectorLibrary<T>::exp, std::experimental::abs(x) / T(2));
  Numbers<T, Abi> fixed = result;
  where(large, fixed) = root / T(2) * root;
  return fixed;
}
template <typename T, typename Abi>
Numbers<T, Abi> odd_in_range(const Numbers<T, Abi>& x, const Numbers<T, Abi>& result) {
  Numbers<T, Abi> fixed = even_in_range(x, result);
  where(x < T(0) && fixed > T(0), fixed) = -fixed;
  return fixed;
}

}  // namespace detail

namespace math {

inline constexpr double kLog2 = 0.693147180559945309417;

template <typename T, typename Abi>
Numbers<T, Abi> exp(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::exp, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> log(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::log, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> log1p(const Numbers<T, Abi>& x) {
  Numbers<T, Abi> result = notape::detail::call(notape::detail::VectorLibrary<T>::log1p, x);
  const auto large = x > T(0x1p60);  // where 1 does not count and SLEEF may overflow
  if (any_of(large)) [[unlikely]]
    where(large, result) = math::log(x);
  return result;
}
template <typename T, typename Abi>
Numbers<T, Abi> sin(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::sin, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> cos(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::cos, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> tanh(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::tanh, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> erf(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::erf, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> pow(const Numbers<T, Abi>& x, const Numbers<T, Abi>& y) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::pow, x, y);
}
template <typename T, typename Abi>
Numbers<T, Abi> expm1(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::expm1, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> exp2(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::exp2, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> log2(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::log2, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> log10(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::log10, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> tan(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::tan, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> asin(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::asin, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> acos(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::acos, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> atan(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::atan, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> sinh(const Numbers<T, Abi>& x) {
  const Numbers<T, Abi> result = notape::detail::call(notape::detail::VectorLibrary<T>::sinh, x);
  return notape::detail::odd_in_range(x, result);
}
template <typename T, typename Abi>
Numbers<T, Abi> cosh(const Numbers<T, Abi>& x) {
  const Numbers<T, Abi> result = notape::detail::call(notape::detail::VectorLibrary<T>::cosh, x);
  return notape::detail::even_in_range(x, result);
}
template <typename T, typename Abi>
Numbers<T, Abi> asinh(const Numbers<T, Abi>& x) {
  Numbers<T, Abi> result = notape::detail::call(notape::detail::VectorLibrary<T>::asinh, x);
  const Numbers<T, Abi> size = std::experimental::abs(x);
  const auto large = size > T(0x1p60);  // where 1 does not count and SLEEF may overflow
  if (any_of(large)) [[unlikely]]
    where(large, result) = std::experimental::copysign(math::log(size) + static_cast<T>(kLog2), x);
  return result;
}
template <typename T, typename Abi>
Numbers<T, Abi> acosh(const Numbers<T, Abi>& x) {
  Numbers<T, Abi> result = notape::detail::call(notape::detail::VectorLibrary<T>::acosh, x);
  const Numbers<T, Abi> size = x;
  const auto large = size > T(0x1p60);  // where 1 does not count and SLEEF may overflow
  if (any_of(large)) [[unlikely]]
    where(large, result) = math::log(size) + static_cast<T>(kLog2);
  return result;
}
template <typename T, typename Abi>
Numbers<T, Abi> atanh(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::atanh, x);
}
template <typename T, typename Abi>
Numbers<T, Abi> erfc(const Numbers<T, Abi>& x) {
  return notape::detail::call(notape::detail::VectorLibrary<T>::erfc, x);
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
Numbers<T, Abi> abs(const Numbers<T, Abi>& x) {
  return std::experimental::abs(x);
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
