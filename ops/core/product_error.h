// What a rounded product or sum leaves out, exactly: formulas that multiply such an error again, as
// e^(a b) does for large a b, put it back. For numbers and for several at once.
#pragma once
#if !defined(__CUDACC__) && defined(__FMA__) && defined(__AVX__)
#include <immintrin.h>
#endif

#include "ops/core/device_function.h"
#include "ops/core/vector_math.h"

namespace notape::math {

NOTAPE_HD inline float fused(float a, float b, float c) { return ::fmaf(a, b, c); }
NOTAPE_HD inline double fused(double a, double b, double c) { return ::fma(a, b, c); }

#ifndef __CUDACC__
/// a b + c, rounded once.
template <typename T, typename Abi>
Numbers<T, Abi> fused(const Numbers<T, Abi>& a, const Numbers<T, Abi>& b,
                      const Numbers<T, Abi>& c) {
#if defined(__FMA__) && defined(__AVX__)
  if constexpr (std::is_same_v<Numbers<T, Abi>, Vector<double>>)
    return Numbers<T, Abi>(
        _mm256_fmadd_pd(static_cast<__m256d>(a), static_cast<__m256d>(b), static_cast<__m256d>(c)));
  else if constexpr (std::is_same_v<Numbers<T, Abi>, Vector<float>>)
    return Numbers<T, Abi>(
        _mm256_fmadd_ps(static_cast<__m256>(a), static_cast<__m256>(b), static_cast<__m256>(c)));
  else
#endif
    return Numbers<T, Abi>([&](auto lane) {
      return math::fused(static_cast<T>(a[lane]), static_cast<T>(b[lane]), static_cast<T>(c[lane]));
    });
}
#endif

/// a b less its rounded `product`. Not a number where that is none.
template <typename T>
NOTAPE_HD T product_error(const T& a, const T& b, const T& product) {
  return math::fused(a, b, -product);
}
/// a - b less its rounded `difference`.
template <typename T>
NOTAPE_HD T difference_error(T a, T b, T difference) {
  const T back = difference - a;
  return (a - (difference - back)) - (b + back);
}

/// e^(x + low) from `power` = e^x, for an error `low` of a product or sum x, or -x. Where |x| is
/// beyond 2^10 there is nothing to correct, and `low` need not be a number.
template <typename T>
NOTAPE_HD T corrected_exponential(const T& power, const T& x, const T& low) {
  return math::select(math::abs(x) < T(1024), power + power * low, power);
}

}  // namespace notape::math
