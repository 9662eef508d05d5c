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
  static constexpr Unary exp = math::exp, log = math::log, log1p = math::log1p, sin = math::sin,
                         cos = math::cos, tanh = math::tanh, erf = math::erf;
  static constexpr T (*pow)(T, T) = math::pow;
};
#elif defined(__AVX__)
template <>
struct VectorLibrary<float> {
  static constexpr auto exp = Sleef_expf8_u10, log = Sleef_logf8_u10, log1p = Sleef_log1pf8_u10,
                        sin = Sleef_sinf8_u10, cos = Sleef_cosf8_u10, tanh = Sleef_tanhf8_u10,
                        erf = Sleef_erff8_u10;
  static constexpr auto pow = Sleef_powf8_u10;
};
template <>
struct VectorLibrary<double> {
  static constexpr auto exp = Sleef_expd4_u10, log = Sleef_logd4_u10, log1p = Sleef_log1pd4_u10,
                        sin = Sleef_sind4_u10, cos = Sleef_cosd4_u10, tanh = Sleef_tanhd4_u10,
                        erf = Sleef_erfd4_u10;
  static constexpr auto pow = Sleef_powd4_u10;
};
#else
template <>
struct VectorLibrary<float> {
  static constexpr auto exp = Sleef_expf4_u10, log = Sleef_logf4_u10, log1p = Sleef_log1pf4_u10,
                        sin = Sleef_sinf4_u10, cos = Sleef_cosf4_u10, tanh = Sleef_tanhf4_u10,
                        erf = Sleef_erff4_u10;
  static constexpr auto pow = Sleef_powf4_u10;
};
template <>
struct VectorLibrary<double> {
  static constexpr auto exp = Sleef_expd2_u10, log = Sleef_logd2_u10, log1p = Sleef_log1pd2_u10,
                        sin = Sleef_sind2_u10, cos = Sleef_cosd2_u10, tanh = Sleef_tanhd2_u10,
                        erf = Sleef_erfd2_u10;
  static constexpr auto pow = Sleef_powd2_u10;
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
