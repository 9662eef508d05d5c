// NOTAPE_HD marks what both the CPU and the GPU can call. math:: has the functions that operator
// formulas use, for float and double on both, and for wider types where references are computed.
#pragma once
#include <cmath>
#include <cstdint>
#include <type_traits>

#ifdef __CUDACC__
#define NOTAPE_HD __host__ __device__
#else
#define NOTAPE_HD
#endif

namespace notape {

/// A C++ number as an operand: exact both as a real and as an integer. It is rounded to float here,
/// because a conversion inside a loop's condition would keep the loop from being vectorised.
struct Number {
  double real = 0;
  int64_t whole = 0;
  float single = 0;

  Number() = default;
  NOTAPE_HD constexpr Number(double as_real, int64_t as_whole)
      : real(as_real), whole(as_whole), single(static_cast<float>(as_real)) {}

  /// As a float, too.
  bool is_finite() const { return std::isfinite(single); }

  template <typename T>
  NOTAPE_HD T as() const {
    if constexpr (std::is_same_v<T, bool>)
      return real != 0;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(whole);
    else if constexpr (std::is_same_v<T, float>)
      return single;
    else if constexpr (requires { typename T::value_type; })  // several numbers: the same for all
      return T(as<typename T::value_type>());
    else
      return static_cast<T>(real);
  }
};

namespace math {

#define NOTAPE_FUNCTION(name, ...)                              \
  NOTAPE_HD inline float name(float x) { return ::name##f(x); } \
  NOTAPE_HD inline double name(double x) { return ::name(x); }
#include "ops/core/math_functions.h"
/// lgamma, but for signgam, a variable of all threads into which the C library's writes a sign.
template <typename T>
requires(std::is_same_v<T, float> || std::is_same_v<T, double>) NOTAPE_HD T
    lgamma_without_sign(T x) {
#ifdef __CUDACC__
  return math::lgamma(x);
#else
  int sign = 0;
  if constexpr (std::is_same_v<T, float>)
    return ::lgammaf_r(x, &sign);
  else
    return ::lgamma_r(x, &sign);
#endif
}
NOTAPE_HD inline float sqrt(float x) { return ::sqrtf(x); }
NOTAPE_HD inline double sqrt(double x) { return ::sqrt(x); }
NOTAPE_HD inline float floor(float x) { return ::floorf(x); }
NOTAPE_HD inline double floor(double x) { return ::floor(x); }
NOTAPE_HD inline float ceil(float x) { return ::ceilf(x); }
NOTAPE_HD inline double ceil(double x) { return ::ceil(x); }
NOTAPE_HD inline float rint(float x) { return ::rintf(x); }
NOTAPE_HD inline double rint(double x) { return ::rint(x); }
NOTAPE_HD inline float trunc(float x) { return ::truncf(x); }
NOTAPE_HD inline double trunc(double x) { return ::trunc(x); }
NOTAPE_HD inline float pow(float x, float y) { return ::powf(x, y); }
NOTAPE_HD inline double pow(double x, double y) { return ::pow(x, y); }
NOTAPE_HD inline float atan2(float x, float y) { return ::atan2f(x, y); }
NOTAPE_HD inline double atan2(double x, double y) { return ::atan2(x, y); }
NOTAPE_HD inline float hypot(float x, float y) { return ::hypotf(x, y); }
NOTAPE_HD inline double hypot(double x, double y) { return ::hypot(x, y); }
NOTAPE_HD inline float fmod(float x, float y) { return ::fmodf(x, y); }
NOTAPE_HD inline double fmod(double x, double y) { return ::fmod(x, y); }
NOTAPE_HD inline bool signbit(float x) { return std::signbit(x); }
NOTAPE_HD inline bool signbit(double x) { return std::signbit(x); }
NOTAPE_HD inline float abs(float x) { return ::fabsf(x); }
NOTAPE_HD inline double abs(double x) { return ::fabs(x); }

#ifndef __CUDACC__
using Wide = __float128;  ///< 113-bit floating point, for references
class WideDual;           ///< the same with a slope (ops/spec/wide_dual.h)
#define NOTAPE_FUNCTION(name, ...) \
  Wide name(Wide x);               \
  WideDual name(const WideDual& x);
#include "ops/core/math_functions.h"
Wide sqrt(Wide x);
Wide floor(Wide x);
Wide ceil(Wide x);
Wide rint(Wide x);
Wide trunc(Wide x);
Wide pow(Wide x, Wide y);
Wide atan2(Wide y, Wide x);
Wide hypot(Wide x, Wide y);
Wide fmod(Wide x, Wide y);
bool signbit(Wide x);
Wide abs(Wide x);

WideDual sqrt(const WideDual& x);
WideDual floor(const WideDual& x);
WideDual ceil(const WideDual& x);
WideDual rint(const WideDual& x);
WideDual trunc(const WideDual& x);
WideDual pow(const WideDual& x, const WideDual& y);
WideDual atan2(const WideDual& y, const WideDual& x);
WideDual hypot(const WideDual& x, const WideDual& y);
WideDual fmod(const WideDual& x, const WideDual& y);
bool signbit(const WideDual& x);
WideDual abs(const WideDual& x);
#endif

/// NaN wins, as in LibTorch's maximum and minimum. Without ||, so that loops vectorise.
template <typename T>
NOTAPE_HD T max(T a, T b) {
  const bool is_nan = a != a, wins = a > b;
  return (is_nan | wins) ? a : b;
}
template <typename T>
NOTAPE_HD T min(T a, T b) {
  const bool is_nan = a != a, wins = a < b;
  return (is_nan | wins) ? a : b;
}

/// `condition ? a : b`, also for several numbers at once.
template <typename T>
NOTAPE_HD T select(bool condition, T a, T b) {
  return condition ? a : b;
}

}  // namespace math
}  // namespace notape
