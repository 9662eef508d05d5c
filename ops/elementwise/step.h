// What step functions share: integers as they are, a derivative of 0, and domains with a jump at
// every whole number.
#pragma once
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#endif

namespace notape {

template <typename Rounding>
struct Step {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return x;
    else
      return Rounding::of(x);
  }
};

#ifndef __CUDACC__
constexpr auto step_derivative(const char* name) {
  return derivative(name, elementwise([](const Tensor& grad) { return zeros_like(grad); }));
}

/// Jumps at `first` plus whole numbers.
inline Domain steps(double first) {
  Domain domain{.low = -3.25, .high = 3.25};
  for (int i = -4; i < 4; ++i) domain.kinks.push_back(first + i);
  return domain;
}
#endif

}  // namespace notape
