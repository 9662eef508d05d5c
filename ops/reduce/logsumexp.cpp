// logsumexp(x, dims) = log(sum(e^x)) = m + log(sum(e^(x - m))) with the maximum m, which keeps
// every exponential in range; its derivative is e^(x - logsumexp(x)), the softmax.
#include "ops/ops.h"
#include "ops/reduce/exponentials.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct LogSumExpOver {
  Sizes dim;
  bool keepdim;
};

/// Where every term is e^-inf the result is -inf and the weights are 0, not e^(-inf + inf).
Tensor weights(const Tensor& self, const Tensor& result, const LogSumExpOver& p) {
  const Tensor finite = masked_fill(result, eq(result, -kInfinity), 0);
  return exp(self - restore_dims(finite, self.sizes(), p.dim, p.keepdim));
}

constexpr auto kDerivative = derivative(
    "LogsumexpBackward0",
    rule(
        [](const Tensor& grad, const Input<0>& self, const Output& result, const LogSumExpOver& p) {
          return restore_dims(grad, self.sizes(), p.dim, p.keepdim) * weights(self, result, p);
        },
        [](const Tensor& tangent, const Input<0>& self, const Output& result,
           const LogSumExpOver& p) {
          return sum(tangent * weights(self, result, p), p.dim, p.keepdim);
        }));

template <typename T>
T log_sum_exp(const T* row, int64_t n) {
  const T maximum = largest(row, n);
  if (maximum == static_cast<T>(kInfinity))
    return sum_lanes<T>(n, [row](int64_t i) { return math::abs(row[i]); });  // infinite, or NaN
  const T shift = maximum == static_cast<T>(-kInfinity) ? T(0) : maximum;
  const ExponentialSum sum = sum_of_exponentials(row, n, shift, [](int64_t, T, T) {});
  return static_cast<T>(std::log1p(sum.beside_largest()) + static_cast<double>(shift));
}

Tensor raw_log_sum_exp(const Operation& op, const Tensor& self, const ReducedDims& dims) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) {
          return raw_log_sum_exp(op, all, dims.behind_batch(size));
        },
        self);
  require_cpu(op, self);
  const ScalarType type = floating_type(self.dtype());
  const Tensor rows = as_rows(raw_convert(self, type), dims);
  Tensor result = allocate(dims.result_sizes, type, self.device());
  visit_floating(type, [&]<typename T>() { reduce_rows<T>(rows, dims, result, log_sum_exp<T>); });
  return result;
}

constexpr auto plain_log_sum_exp = []<typename T>(const std::vector<T>& group) {
  T sum = 0;
  for (T value : group) sum += math::exp(value);
  return math::log(sum);
};

OpCase draw_case(Draw& draw) {
  return reduction_case(
      draw, {.call = [](const Tensor& x,
                        const DrawnReduction& how) { return logsumexp(x, how.dim, how.keepdim); },
             .of_group = plain_log_sum_exp,
             .over = ReductionCase::Over::AllOrSeveralDims,
             .smallest = 1,
             .far = Domain{.low = -kFarApart, .high = kFarApart}});
}

const RegisterOp row({.name = "logsumexp", .family = "reduce", .draw = draw_case});

}  // namespace

Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  const Operation op("logsumexp", at);
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  return record(kDerivative, op, raw_log_sum_exp(op, self, dims),
                LogSumExpOver{{dim.vec()}, keepdim}, self);
}

Tensor TensorOperators::logsumexp(IntArrayRef dim, bool keepdim, At at) const {
  return notape::logsumexp(self(), dim, keepdim, at);
}

}  // namespace notape
