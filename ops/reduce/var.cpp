// var(x, dims) = sum((x - mean(x))^2) / (n - 1), or / n if not unbiased; d/dx = 2 (x - mean(x))
// over the same divisor. One element has no unbiased variance: NaN.
#include "autograd/warning.h"
#include "ops/ops.h"
#include "ops/reduce/lanes.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

struct VarOver {
  Sizes dim;
  bool keepdim;
  double divisor;
};

Tensor scaled_deviation(const Tensor& self, const VarOver& p) {
  return (self - mean(self, p.dim, true)) * (2 / p.divisor);
}

constexpr auto kDerivative = derivative(
    "VarBackward0", rule(
                        [](const Tensor& grad, const Input<0>& self, const VarOver& p) {
                          return restore_dims(grad, self.sizes(), p.dim, p.keepdim) *
                                 scaled_deviation(self, p);
                        },
                        [](const Tensor& tangent, const Input<0>& self, const VarOver& p) {
                          return sum(tangent * scaled_deviation(self, p), p.dim, p.keepdim);
                        }));

/// Two passes: no cancellation between large squares.
template <typename T>
double squared_deviations(const T* row, int64_t n) {
  const double mean =
      sum_lanes<double>(n, [row](int64_t i) { return row[i]; }) / static_cast<double>(n);
  return sum_lanes<double>(n, [row, mean](int64_t i) {
    const double deviation = static_cast<double>(row[i]) - mean;
    return deviation * deviation;
  });
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

OpCase draw_case(Draw& draw) {
  const bool unbiased = draw.boolean();
  const auto var_of = [unbiased]<typename T>(const std::vector<T>& group) {
    const auto n = static_cast<T>(group.size());
    T sum = 0, squares = 0;
    for (T value : group) sum += value;
    for (T value : group) squares += (value - sum / n) * (value - sum / n);
    return squares / (n - (unbiased ? 1 : 0));
  };
  OpCase one = reduction_case(draw, {.call =
                                         [unbiased](const Tensor& x, const DrawnReduction& how) {
                                           return var(x, how.dim, unbiased, how.keepdim);
                                         },
                                     .of_group = var_of,
                                     .over = ReductionCase::Over::AllOrSeveralDims,
                                     .smallest = unbiased ? 2 : 1,
                                     .far = Domain{.low = -kFarHigh, .high = kFarHigh}});
  if (!unbiased) one.label += ", biased";
  return one;
}

const RegisterOp row({.name = "var", .family = "reduce", .draw = draw_case});

}  // namespace

Tensor var(const Tensor& self, At at) { return var(self, IntArrayRef(), true, false, at); }

Tensor var(const Tensor& self, IntArrayRef dim, bool unbiased, bool keepdim, At at) {
  const Operation op("var", at);
  check_operands(op, {&self});
  require_floating(op, self);
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  if (dims.count <= (unbiased ? 1 : 0)) [[unlikely]]
    warn_once(
        "var without degrees of freedom",
        "var(): degrees of freedom is <= 0: there are too few numbers for an unbiased variance",
        at);
  const auto divisor = static_cast<double>(std::max<int64_t>(dims.count - (unbiased ? 1 : 0), 0));
  return record(kDerivative, op, raw_var(op, self, dims, divisor),
                VarOver{{dim.vec()}, keepdim, divisor}, self);
}

Tensor TensorOperators::var(At at) const { return notape::var(self(), at); }
Tensor TensorOperators::var(IntArrayRef dim, bool unbiased, bool keepdim, At at) const {
  return notape::var(self(), dim, unbiased, keepdim, at);
}

}  // namespace notape
