#include "ops/reduce/operator.h"
#ifndef __CUDACC__
#include "autograd/warning.h"
#include "ops/reduce/variance.h"
#endif

namespace notape {
namespace {

/// Two passes: no cancellation between large squares.
struct MeanSquaredDeviation {
  double divisor;
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
const ReductionKernel<MeanSquaredDeviation> value_kernel("var");

}  // namespace

#ifndef __CUDACC__
Variance variance_over(const Operation& op, const Tensor& self, IntArrayRef dim, bool unbiased,
                       bool keepdim) {
  check_operands(op, {&self});
  require_floating(op, self);
  ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  const int64_t divisor = dims.count - (unbiased ? 1 : 0);
  if (divisor <= 0) [[unlikely]]
    warn_once("var without degrees of freedom",
              unbiased ? "var(): degrees of freedom is <= 0: there are too few numbers for an "
                         "unbiased variance"
                       : "var(): degrees of freedom is <= 0: there are no numbers",
              op.at);
  return {std::move(dims),
          {{dim.vec()}, keepdim, static_cast<double>(std::max<int64_t>(divisor, 0))}};
}

Tensor raw_var(const Operation& op, const Tensor& self, const ReducedDims& dims, double divisor) {
  return reduce(op, value_kernel, {divisor}, self, dims);
}

Tensor scaled_deviation(const Tensor& self, const Tensor& mean, const VarOver& p) {
  return (self - mean) * (2 / p.divisor);
}
#endif

}  // namespace notape
