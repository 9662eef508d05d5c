#include "ops/reduce/variance.h"

#include "autograd/warning.h"
#include "ops/ops.h"
#include "ops/reduce/lanes.h"

namespace notape {
namespace {

template <typename T>
double squared_deviations(const T* row, int64_t n) {
  const double mean =
      sum_lanes<double>(n, [row](int64_t i) { return row[i]; }) / static_cast<double>(n);
  return sum_lanes<double>(n, [row, mean](int64_t i) {
    const double deviation = static_cast<double>(row[i]) - mean;
    return deviation * deviation;
  });
}

}  // namespace

Variance variance_over(const Operation& op, const Tensor& self, IntArrayRef dim, bool unbiased,
                       bool keepdim) {
  check_operands(op, {&self});
  require_floating(op, self);
  ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  const int64_t divisor = dims.count - (unbiased ? 1 : 0);
  if (divisor <= 0) [[unlikely]]
    warn_once(
        "var without degrees of freedom",
        "var(): degrees of freedom is <= 0: there are too few numbers for an unbiased variance",
        op.at);
  return {std::move(dims),
          {{dim.vec()}, keepdim, static_cast<double>(std::max<int64_t>(divisor, 0))}};
}

Tensor raw_var(const Operation& op, const Tensor& self, const ReducedDims& dims, double divisor) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) {
          return raw_var(op, all, dims.behind_batch(size), divisor);
        },
        self);
  require_cpu(op, self);
  const Tensor rows = as_rows(self, dims);
  Tensor result = allocate(dims.result_sizes, self.dtype(), self.device());
  visit_floating(self.dtype(), [&]<typename T>() {
    reduce_rows<T>(rows, dims, result, [divisor](const T* row, int64_t n) {
      return static_cast<T>(squared_deviations(row, n) / divisor);
    });
  });
  return result;
}

Tensor scaled_deviation(const Tensor& self, const Tensor& mean, const VarOver& p) {
  return (self - mean) * (2 / p.divisor);
}

}  // namespace notape
