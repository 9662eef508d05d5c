// logsumexp(x, dims) = log(sum(e^x)) = m + log(sum(e^(x - m))) with the maximum m, which keeps
// every exponential in range; its derivative is e^(x - logsumexp(x)), the softmax.
#include "ops/ops.h"
#include "ops/reduce/exponentials.h"
#include "ops/reduce/plain_exponentials.h"
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

/// The softmax over all of the reduced dimensions: these last, as one.
Tensor softmax_over(const Tensor& self, const LogSumExpOver& p) {
  const int64_t rank = self.dim();
  if (p.dim.size() == 1 && rank > 0) return softmax(self, p.dim[0]);
  if (p.dim.empty() || static_cast<int64_t>(p.dim.size()) >= rank)  // 0-d has a dimension, too
    return reshape(softmax(reshape(self, {self.numel()}), 0), self.sizes());
  std::vector<bool> reduced(static_cast<std::size_t>(rank), false);
  for (int64_t d : p.dim) reduced[static_cast<std::size_t>(wrap_dim(d, rank))] = true;
  std::vector<int64_t> order, rows;
  for (const bool last : {false, true})
    for (int64_t d = 0; d < rank; ++d) {
      if (reduced[static_cast<std::size_t>(d)] != last) continue;
      order.push_back(d);
      if (!last) rows.push_back(self.size(d));
    }
  int64_t count = 1;
  for (std::size_t i = rows.size(); i < order.size(); ++i) count *= self.size(order[i]);
  rows.push_back(count);
  std::vector<int64_t> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    back[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(i);
  const Tensor moved = permute(self, order);
  return permute(reshape(softmax(reshape(moved, rows), -1), moved.sizes()), back);
}

/// e^(x - result), from x alone: the result is rounded. Where every term is e^-inf the weights are
/// 0, not e^(-inf + inf), and beside an infinite term those of the others are.
Tensor weights(const Tensor& self, const Tensor& result, const LogSumExpOver& p) {
  const Tensor infinite = eq(abs(restore_dims(result, self.sizes(), p.dim, p.keepdim)), kInfinity);
  return masked_fill(softmax_over(self, p), mul(infinite, ne(self, kInfinity)), 0);
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
