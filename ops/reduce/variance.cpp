#include "ops/reduce/operator.h"
#ifndef __CUDACC__
#include "autograd/warning.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/reduce.h"
#include "ops/reduce/variance.h"
#include "ops/selection.h"
#include "ops/shape.h"

#include <algorithm>
#endif

namespace notape {
namespace {

/// Two passes: no cancellation between large squares.
struct MeanSquaredDeviation {
  double divisor;
  template <typename>
  int folds() const {
    return 2;
  }
  template <typename SomeRow>
  NOTAPE_HD double operator()(const SomeRow& row) const {
    const double mean = sum_row<double>(row, [&row](int64_t i) { return row[i]; }) /
                        static_cast<double>(row.size());
    const double squares = sum_row<double>(row, [&row, mean](int64_t i) {
      const double deviation = static_cast<double>(row[i]) - mean;
      return deviation * deviation;
    });
    return squares / divisor;
  }
};
const ReductionKernel<MeanSquaredDeviation> variance_kernel("var");

/// Seen from the first element, so that equal ones have no deviation and near ones the right one.
struct RootOfVariance {
  double divisor;
  template <typename>
  int folds() const {
    return 2;
  }
  template <typename SomeRow>
  NOTAPE_HD double operator()(const SomeRow& row) const {
    if (row.size() == 0) return math::sqrt(0.0 / divisor);
    const auto pivot = static_cast<double>(row[0]);
    const auto distance = [&row, pivot](int64_t i) { return static_cast<double>(row[i]) - pivot; };
    const double mean = sum_row<double>(row, distance) / static_cast<double>(row.size());
    const double squares = sum_row<double>(row, [distance, mean](int64_t i) {
      const double deviation = distance(i) - mean;
      return deviation * deviation;
    });
    return math::sqrt(squares / divisor);
  }
};
const ReductionKernel<RootOfVariance> root_kernel("std");

}  // namespace

#ifndef __CUDACC__
Variance variance_over(const Operation& op, const Tensor& self, IntArrayRef dim, double correction,
                       bool keepdim) {
  check_operands(op, {&self});
  require_floating(op, self);
  ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  const double divisor = static_cast<double>(dims.count) - correction;
  if (!(divisor > 0)) [[unlikely]]
    warn_once("var without degrees of freedom",
              correction > 0
                  ? "var(): degrees of freedom is <= 0: there are too few numbers for an "
                    "unbiased variance"
                  : "var(): degrees of freedom is <= 0: there are no numbers",
              op.at);
  return {std::move(dims), {{dim.vec()}, keepdim, std::max(divisor, 0.0)}};
}

Tensor raw_var(const Operation& op, const Tensor& self, const ReducedDims& dims, double divisor) {
  return reduce(op, variance_kernel, {divisor}, self, dims);
}

Tensor raw_std(const Operation& op, const Tensor& self, const ReducedDims& dims, double divisor) {
  return reduce(op, root_kernel, {divisor}, self, dims);
}

namespace {

/// self less its first element over the reduced dimensions, which is a constant here.
Tensor from_first(const Tensor& self, IntArrayRef dim) {
  if (self.numel() == 0) return self;
  Tensor pivot = self.detach();
  for (int64_t d = 0; d < self.dim(); ++d)
    if (dim.empty() || std::any_of(dim.begin(), dim.end(),
                                   [&](int64_t one) { return wrap_dim(one, self.dim()) == d; }))
      pivot = narrow(pivot, d, 0, 1);
  return self - pivot;
}

}  // namespace

Tensor standard_score(const Tensor& self, const Tensor& result, const VarOver& p) {
  if (is_reduced_floating_point(self.dtype()))  // distances cancel
    return to(standard_score(to(self, kFloat32), to(result, kFloat32), p), self.dtype());
  const Tensor deviation = restore_dims(result, self.sizes(), p.dim, p.keepdim);
  const Tensor distance = from_first(self, p.dim);
  const Tensor score = (distance - mean(distance, p.dim, true)) / deviation / p.divisor;
  return masked_fill(score, eq(deviation, 0), 0);
}

void spread_entries(Draw& draw, OpCase& one) {
  Argument& self = one.arguments[0];
  const int64_t count = Geometry(self.sizes).numel();
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) {
    // Short enough for float32.
    const double place = static_cast<double>(draw.integer(-60, 60)) + static_cast<double>(i) / 512;
    numbers.push_back(place / 64 * self.domain.high);
  }
  self.fixed = std::move(numbers);
}

Tensor shares_of_mean(const Tensor& of_mean, const Tensor& self, const VarOver& p) {
  const double count = static_cast<double>(self.numel()) / static_cast<double>(of_mean.numel());
  return spread(of_mean / count, self.sizes(), p.dim, p.keepdim);
}

Tensor scaled_deviation(const Tensor& self, const Tensor& mean, const VarOver& p) {
  return (self - mean) * (2 / p.divisor);
}
#endif

}  // namespace notape
