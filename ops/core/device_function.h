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

NOTAPE_HD inline float exp(float x) { return ::expf(x); }
NOTAPE_HD inline double exp(double x) { return ::exp(x); }
NOTAPE_HD inline float log(float x) { return ::logf(x); }
NOTAPE_HD inline double log(double x) { return ::log(x); }
NOTAPE_HD inline float log1p(float x) { return ::log1pf(x); }
NOTAPE_HD inline double log1p(double x) { return ::log1p(x); }
NOTAPE_HD inline float expm1(float x) { return ::expm1f(x); }
NOTAPE_HD inline double expm1(double x) { return ::expm1(x); }
NOTAPE_HD inline float sqrt(float x) { return ::sqrtf(x); }
NOTAPE_HD inline double sqrt(double x) { return ::sqrt(x); }
NOTAPE_HD inline float sin(float x) { return ::sinf(x); }
NOTAPE_HD inline double sin(double x) { return ::sin(x); }
NOTAPE_HD inline float cos(float x) { return ::cosf(x); }
NOTAPE_HD inline double cos(double x) { return ::cos(x); }
NOTAPE_HD inline float tanh(float x) { return ::tanhf(x); }
NOTAPE_HD inline double tanh(double x) { return ::tanh(x); }
NOTAPE_HD inline float erf(float x) { return ::erff(x); }
NOTAPE_HD inline double erf(double x) { return ::erf(x); }
NOTAPE_HD inline float exp2(float x) { return ::exp2f(x); }
NOTAPE_HD inline double exp2(double x) { return ::exp2(x); }
NOTAPE_HD inline float log2(float x) { return ::log2f(x); }
NOTAPE_HD inline double log2(double x) { return ::log2(x); }
NOTAPE_HD inline float log10(float x) { return ::log10f(x); }
NOTAPE_HD inline double log10(double x) { return ::log10(x); }
NOTAPE_HD inline float tan(float x) { return ::tanf(x); }
NOTAPE_HD inline double tan(double x) { return ::tan(x); }
NOTAPE_HD inline float asin(float x) { return ::asinf(x); }
NOTAPE_HD inline double asin(double x) { return ::asin(x); }
NOTAPE_HD inline float acos(float x) { return ::acosf(x); }
NOTAPE_HD inline double acos(double x) { return ::acos(x); }
NOTAPE_HD inline float atan(float x) { return ::atanf(x); }
NOTAPE_HD inline double atan(double x) { return ::atan(x); }
NOTAPE_HD inline float sinh(float x) { return ::sinhf(x); }
NOTAPE_HD inline double sinh(double x) { return ::sinh(x); }
NOTAPE_HD inline float cosh(float x) { return ::coshf(x); }
NOTAPE_HD inline double cosh(double x) { return ::cosh(x); }
NOTAPE_HD inline float asinh(float x) { return ::asinhf(x); }
NOTAPE_HD inline double asinh(double x) { return ::asinh(x); }
NOTAPE_HD inline float acosh(float x) { return ::acoshf(x); }
NOTAPE_HD inline double acosh(double x) { return ::acosh(x); }
NOTAPE_HD inline float atanh(float x) { return ::atanhf(x); }
NOTAPE_HD inline double atanh(double x) { return ::atanh(x); }
NOTAPE_HD inline float erfc(float x) { return ::erfcf(x); }
NOTAPE_HD inline double erfc(double x) { return ::erfc(x); }
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
Wide exp(Wide x);
Wide log(Wide x);
Wide log1p(Wide x);
Wide sqrt(Wide x);
Wide sin(Wide x);
Wide cos(Wide x);
Wide tanh(Wide x);
Wide erf(Wide x);
Wide expm1(Wide x);
Wide exp2(Wide x);
Wide log2(Wide x);
Wide log10(Wide x);
Wide tan(Wide x);
Wide asin(Wide x);
Wide acos(Wide x);
Wide atan(Wide x);
Wide sinh(Wide x);
Wide cosh(Wide x);
Wide asinh(Wide x);
Wide acosh(Wide x);
Wide atanh(Wide x);
Wide erfc(Wide x);
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

class WideDual;  ///< the same with a slope (ops/spec/wide_dual.h)
WideDual exp(const WideDual& x);
WideDual log(const WideDual& x);
WideDual log1p(const WideDual& x);
WideDual sqrt(const WideDual& x);
WideDual sin(const WideDual& x);
WideDual cos(const WideDual& x);
WideDual tanh(const WideDual& x);
WideDual erf(const WideDual& x);
WideDual expm1(const WideDual& x);
WideDual exp2(const WideDual& x);
WideDual log2(const WideDual& x);
WideDual log10(const WideDual& x);
WideDual tan(const WideDual& x);
WideDual asin(const WideDual& x);
WideDual acos(const WideDual& x);
WideDual atan(const WideDual& x);
WideDual sinh(const WideDual& x);
WideDual cosh(const WideDual& x);
WideDual asinh(const WideDual& x);
WideDual acosh(const WideDual& x);
WideDual atanh(const WideDual& x);
WideDual erfc(const WideDual& x);
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
