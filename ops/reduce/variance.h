// What var, std, var_mean and std_mean share.
#pragma once
#include "ops/reduce/reduction.h"
#include "ops/shape/view_op.h"
#include "ops/spec/op_spec.h"

namespace notape {

struct VarOver {
  Sizes dim;
  bool keepdim;
  double divisor;
};
/// A variance to take: over which dimensions, and by what to divide, the count less the correction.
/// Warns if that is 0.
struct Variance {
  ReducedDims dims;
  VarOver over;
};
Variance variance_over(const Operation& op, const Tensor& self, IntArrayRef dim, double correction,
                       bool keepdim);
/// No graph.
Tensor raw_var(const Operation& op, const Tensor& self, const ReducedDims& dims, double divisor);
/// The square root, taken before it is rounded; no graph.
Tensor raw_std(const Operation& op, const Tensor& self, const ReducedDims& dims, double divisor);
/// d var / d self, for a mean that broadcasts with self.
Tensor scaled_deviation(const Tensor& self, const Tensor& mean, const VarOver& p);

/// d std / d self, from the deviations: 0 where these are 0.
Tensor standard_score(const Tensor& self, const Tensor& result, const VarOver& p);

/// What each element of self gets of the gradient of its mean.
Tensor shares_of_mean(const Tensor& of_mean, const Tensor& self, const VarOver& p);

/// Gives a case entries of which no two are equal: where all are, the deviation has a kink, and
/// nowhere else, as a row of ties would have it. (Cases have three at least: of two the second
/// derivative is 0, and nothing but rounding.)
void spread_entries(Draw& draw, OpCase& one);

/// Plainly, of the elements of one result.
struct PlainVariance {
  double correction;
  template <typename T>
  T operator()(const std::vector<T>& group) const {
    const auto n = static_cast<T>(group.size());
    T sum = 0, squares = 0;
    for (T value : group) sum += value;
    for (T value : group) squares += (value - sum / n) * (value - sum / n);
    return squares / (n - static_cast<T>(correction));
  }
};
struct PlainMean {
  template <typename T>
  T operator()(const std::vector<T>& group) const {
    T sum = 0;
    for (T value : group) sum += value;
    return sum / static_cast<T>(group.size());
  }
};

}  // namespace notape
