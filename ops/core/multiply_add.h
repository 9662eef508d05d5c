// The step of polynomials.
#pragma once
#include <cmath>

#include "ops/core/device_function.h"

namespace notape::detail {

/// a b + c, rounded once where that takes one instruction.
NOTAPE_HD inline float multiply_add(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return ::fmaf(a, b, c);
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
NOTAPE_HD inline double multiply_add(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return ::fma(a, b, c);
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

}  // namespace notape::detail
