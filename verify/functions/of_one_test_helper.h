// Functions of one number, entry by entry, as people write kernels: computed in double, whatever
// the type of the tensor.
#pragma once
#include "verify/functions/gradcheck_test_helper.h"

namespace notape::verify {

using OfOne = std::function<double(double)>;

inline Tensor mapped(const Tensor& x, const OfOne& f) {
  Tensor y = x.detach().to(kFloat64).clone();
  double* values = y.data_ptr<double>();
  for (int64_t i = 0; i < y.numel(); ++i) values[i] = f(values[i]);
  return y.to(x.dtype());
}

/// f with the derivative that `slope` says, at these numbers.
inline Report check_of_one(const OfOne& f, const OfOne& slope, const std::vector<double>& at,
                           uint64_t seed = 1, ScalarType type = kFloat64) {
  const Rules rules{
      [f](const Tensor& x) { return mapped(x, f); },
      [slope](const Tensor& x, const Tensor& grad) { return grad * mapped(x, slope); },
      [slope](const Tensor& x, const Tensor& tangent) { return tangent * mapped(x, slope); }};
  return check_rules(rules, leaf(at, {static_cast<int64_t>(at.size())}, type),
                     {.order = 1, .seed = seed});
}

}  // namespace notape::verify
