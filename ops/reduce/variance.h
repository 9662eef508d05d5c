// What var and var_mean share.
#pragma once
#include "ops/reduce/reduction.h"
#include "ops/shape/view_op.h"

namespace notape {

struct VarOver {
  Sizes dim;
  bool keepdim;
  double divisor;
};
/// A variance to take: over which dimensions, and by what to divide. Warns if that is 0.
struct Variance {
  ReducedDims dims;
  VarOver over;
};
Variance variance_over(const Operation& op, const Tensor& self, IntArrayRef dim, bool unbiased,
                       bool keepdim);
/// No graph.
Tensor raw_var(const Operation& op, const Tensor& self, const ReducedDims& dims, double divisor);
/// d var / d self, for a mean that broadcasts with self.
Tensor scaled_deviation(const Tensor& self, const Tensor& mean, const VarOver& p);

/// Plainly, of the elements of one result.
struct PlainVariance {
  bool unbiased;
  template <typename T>
  T operator()(const std::vector<T>& group) const {
    const auto n = static_cast<T>(group.size());
    T sum = 0, squares = 0;
    for (T value : group) sum += value;
    for (T value : group) squares += (value - sum / n) * (value - sum / n);
    return squares / (n - (unbiased ? 1 : 0));
  }
};

}  // namespace notape
