// logsumexp(x, dims) = log(sum(e^x)) = m + log(sum(e^(x - m))) with the maximum m, which keeps
// every exponential in range; its derivative is e^(x - logsumexp(x)), the softmax.
#include "ops/reduce/exponentials.h"
#include "ops/reduce/operator.h"
#ifndef __CUDACC__
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/reduce.h"
#include "ops/reduce/plain_exponentials.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/shape/view_op.h"
#endif

namespace notape {
namespace {

template <typename T>
constexpr T kLogsumexpInfinity = std::numeric_limits<T>::infinity();

struct LogSumExp {
  template <typename>
  int folds() const {
    return 2;
  }
  template <typename SomeRow>
  NOTAPE_HD auto operator()(const SomeRow& row) const {
    using T = typename SomeRow::Element;
    const T maximum = largest(row);
    if (maximum == kLogsumexpInfinity<T>)  // infinite, or NaN
      return sum_row<T>(row, [&row](int64_t i) { return math::abs(row[i]); });
    const T shift = maximum == -kLogsumexpInfinity<T> ? T(0) : maximum;
    const ExponentialSum sum = sum_of_exponentials(row, shift, [](int64_t, T, T) {});
    return static_cast<T>(math::log1p(sum.beside_largest()) + static_cast<double>(shift));
  }
};
const ReductionKernel<LogSumExp> logsumexp_kernel("logsumexp");

}  // namespace

#ifndef __CUDACC__
namespace {

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
  const Tensor infinite =
      eq(abs(restore_dims(result, self.sizes(), p.dim, p.keepdim)), kLogsumexpInfinity<double>);
  return masked_fill(softmax_over(self, p), mul(infinite, ne(self, kLogsumexpInfinity<double>)), 0);
}

constexpr auto kLogsumexpDerivative = derivative(
    "LogsumexpBackward0",
    rule(
        [](const Tensor& grad, const Input<0>& self, const Output& result, const LogSumExpOver& p) {
          return restore_dims(grad, self.sizes(), p.dim, p.keepdim) * weights(self, result, p);
        },
        [](const Tensor& tangent, const Input<0>& self, const Output& result,
           const LogSumExpOver& p) {
          return sum(tangent * weights(self, result, p), p.dim, p.keepdim);
        }));

OpCase draw_logsumexp(Draw& draw) {
  return reduction_case(
      draw, {.call = [](const Tensor& x,
                        const DrawnReduction& how) { return logsumexp(x, how.dim, how.keepdim); },
             .of_group = plain_log_sum_exp,
             .over = ReductionCase::Over::AllOrSeveralDims,
             .smallest = 1,
             .far = Domain{.low = -kFarApart, .high = kFarApart}});
}

const RegisterOp logsumexp_row(op_row("logsumexp", "reduce", draw_logsumexp, Trait::Reduces));

}  // namespace

Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  const Operation op("logsumexp", at);
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  return record(
      kLogsumexpDerivative, op,
      reduce(op, logsumexp_kernel, {}, raw_convert(self, floating_type(self.dtype())), dims),
      LogSumExpOver{{dim.vec()}, keepdim}, self);
}

Tensor ReduceMembers::logsumexp(IntArrayRef dim, bool keepdim, At at) const {
  return notape::logsumexp(self(), dim, keepdim, at);
}
#endif

}  // namespace notape
