// logcumsumexp(x)[i] = log(e^x[0] + ... + e^x[i]) along a dimension. The gradient of x[j] is its
// share of sum j, e^(x[j] - y[j]), times h[j] = g[j] + e^(y[j] - y[j + 1]) h[j + 1], a linear scan
// whose factors are at most 1. Beside large numbers the results y have lost what these differences
// tell: shares are those of sums of e^(x - m) with the largest number m so far.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/linear_scan.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/running.h"
#include "ops/selection.h"
#include "ops/transcendental.h"

namespace notape {
namespace {

constexpr double kLogcumsumexpInfinity = std::numeric_limits<double>::infinity();

/// Of each sum the share of its last number, and what part of the next one it is: all of an
/// infinite one, whose slopes by the numbers before it are 0.
struct Shares {
  Tensor last, kept;
};
Shares shares_of(const Tensor& x, const AlongOneDim& p) {
  const Tensor largest = std::get<0>(cummax(x.detach(), p.dim));
  const Tensor nothing = eq(largest, -kLogcumsumexpInfinity),
               infinite = eq(largest, kLogcumsumexpInfinity);
  const Tensor shift = masked_fill(largest, nothing, 0);  // cancels, so that it counts as constant
  const Tensor here = without_last(shift, p.dim), next = without_first(shift, p.dim);
  const Tensor starts = logical_or(without_last(nothing, p.dim), without_first(infinite, p.dim));
  const Tensor factors = masked_fill(exp(here - next), starts, 0);
  const Tensor parts = exp(x - shift);
  const Tensor sums = masked_fill(
      linear_scan(factors, masked_fill(parts, infinite, 1), p.dim, ScanFrom::First), nothing, 1);
  const Tensor stays = without_last(infinite, p.dim);
  return {parts / sums,
          masked_fill(factors * without_last(sums, p.dim) / without_first(sums, p.dim), stays, 1)};
}

constexpr auto kLogcumsumexpDerivative =
    derivative("LogcumsumexpBackward0",
               rule(
                   [](const Tensor& grad, const Input<0>& x, const AlongOneDim& p) -> Tensor {
                     if (x.numel() == 0 || x.dim() == 0) return grad;
                     const Shares shares = shares_of(x, p);
                     return shares.last * linear_scan(shares.kept, grad, p.dim, ScanFrom::Last);
                   },
                   [](const Tensor& tangent, const Input<0>& x, const AlongOneDim& p) -> Tensor {
                     if (x.numel() == 0 || x.dim() == 0) return tangent;
                     const Shares shares = shares_of(x, p);
                     return linear_scan(shares.kept, shares.last * tangent, p.dim, ScanFrom::First);
                   }));

constexpr auto plain_logcumsumexp = []<typename T>(const std::vector<T>& slice) {
  std::vector<T> result;
  T sum = 0;
  for (const T& value : slice) result.push_back(math::log(sum += math::exp(value)));
  return result;
};

OpCase draw_logcumsumexp(Draw& draw) {
  return slice_case(
      draw, [](const Tensor& x, int64_t dim) { return logcumsumexp(x, dim); }, plain_logcumsumexp);
}

const RegisterOp logcumsumexp_row(op_row("logcumsumexp", "reduce", draw_logcumsumexp,
                                         Trait::Scans | Trait::Reduces));

}  // namespace

Tensor logcumsumexp(const Tensor& self, Integer dim, At at) {
  const Operation op("logcumsumexp", at);
  check_operands(op, {&self});
  require_floating(op, self);
  const AlongOneDim along{wrap_dim(op, dim, self.dim())};
  return record(kLogcumsumexpDerivative, op, raw_running(op, logcumsumexp_kernel, self, along.dim),
                along, self);
}

Tensor ReduceMembers::logcumsumexp(Integer dim, At at) const {
  return notape::logcumsumexp(self(), dim, at);
}

}  // namespace notape
