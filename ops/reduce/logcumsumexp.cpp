// logcumsumexp(x)[i] = log(e^x[0] + ... + e^x[i]) along a dimension. With y the result the gradient
// of x[j] is e^(x[j] - y[j]) h[j] with h[j] = g[j] + e^(y[j] - y[j + 1]) h[j + 1], a linear scan
// whose factors are at most 1.
#include "autograd/tensor/factories.h"
#include "ops/core/wrap_dim.h"
#include "ops/ops.h"
#include "ops/reduce/linear_scan.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/running.h"

namespace notape {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// e^(a - b) where b >= a is a sum of which e^a is a part: 0 of a sum of nothing.
Tensor share(const Tensor& a, const Tensor& b) {
  return masked_fill(exp(a - b), eq(b, -kInfinity), 0);
}
/// What is left of each sum in the next one: all of an infinite one, whose slopes by the numbers
/// before it are 0.
Tensor kept(const Tensor& y, const AlongOneDim& p) {
  const Tensor here = without_last(y, p.dim), next = without_first(y, p.dim);
  const Tensor infinite = logical_and(eq(here, kInfinity), eq(next, kInfinity));
  return masked_fill(share(here, next), infinite, 1);
}

constexpr auto kDerivative = derivative(
    "LogcumsumexpBackward0",
    rule(
        [](const Tensor& grad, const Input<0>& x, const Output& y, const AlongOneDim& p) -> Tensor {
          if (x.numel() == 0 || x.dim() == 0) return grad;
          return share(x, y) * linear_scan(kept(y, p), grad, p.dim, ScanFrom::Last);
        },
        [](const Tensor& tangent, const Input<0>& x, const Output& y,
           const AlongOneDim& p) -> Tensor {
          if (x.numel() == 0 || x.dim() == 0) return tangent;
          return linear_scan(kept(y, p), share(x, y) * tangent, p.dim, ScanFrom::First);
        }));

constexpr auto plain_logcumsumexp = []<typename T>(const std::vector<T>& slice) {
  std::vector<T> result;
  T sum = 0;
  for (const T& value : slice) result.push_back(math::log(sum += math::exp(value)));
  return result;
};

OpCase draw_case(Draw& draw) {
  return slice_case(
      draw, [](const Tensor& x, int64_t dim) { return logcumsumexp(x, dim); }, plain_logcumsumexp);
}

const RegisterOp row({.name = "logcumsumexp",
                      .family = "reduce",
                      .draw = draw_case,
                      .traits = Trait::Scans | Trait::Reduces});

}  // namespace

Tensor logcumsumexp(const Tensor& self, int64_t dim, At at) {
  const Operation op("logcumsumexp", at);
  check_operands(op, {&self});
  require_floating(op, self);
  const AlongOneDim along{wrap_dim(op, dim, self.dim())};
  return record(kDerivative, op, raw_running(op, logcumsumexp_kernel, self, along.dim), along,
                self);
}

Tensor ReduceMembers::logcumsumexp(int64_t dim, At at) const {
  return notape::logcumsumexp(self(), dim, at);
}

}  // namespace notape
