// softmax(x)[i] = e^x[i] / sum(e^x) along a dimension, computed as e^(x - max(x)). With y =
// softmax(x) the Jacobian, diag(y) - y y^T, is symmetric: it maps g to y (g - sum(g y)).
#include "ops/reduce/softmax.h"

#include "ops/arithmetic.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/plain_exponentials.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {
namespace {

/// y (g - sum(g y)) as an operator of g and y, with derivatives of its own.
Tensor softmax_backward(const Tensor& grad, const Tensor& result, const SliceDim& p,
                        At at = At::current());

constexpr auto kSoftmaxBackward = derivative(
    "SoftmaxBackwardDataBackward0",
    symmetric([](const Tensor& grad, const Input<1>& result, const SliceDim& p) {
      return softmax_backward(grad, result, p);
    }),
    rule(
        [](const Tensor& grad, const Input<0>& g, const Input<1>& y, const SliceDim& p) {
          return grad * (g - sum(g * y, p.dim, true)) - g * sum(grad * y, p.dim, true);
        },
        [](const Tensor& tangent, const Input<0>& g, const Input<1>& y, const SliceDim& p) {
          return tangent * (g - sum(g * y, p.dim, true)) - y * sum(g * tangent, p.dim, true);
        }));

Tensor softmax_backward(const Tensor& grad, const Tensor& result, const SliceDim& p, At at) {
  const Operation op("softmax_backward", at);
  return record(kSoftmaxBackward, op,
                raw_softmax_gradient(op, softmax_gradient_kernel, grad, result, p.dim), p, grad,
                result);
}

constexpr auto kSoftmaxDerivative = derivative(
    "SoftmaxBackward0", symmetric([](const Tensor& grad, const Output& result, const SliceDim& p) {
      return softmax_backward(grad, result, p);
    }));

OpCase draw_softmax(Draw& draw) {
  return slice_case(
      draw, [](const Tensor& x, int64_t dim) { return softmax(x, dim); }, plain_softmax,
      Domain{.low = -kFarApart, .high = kFarApart});
}

const RegisterOp softmax_row(op_row("softmax", "reduce", draw_softmax, Trait::Reduces));

}  // namespace

Tensor softmax(const Tensor& self, Integer dim, At at) {
  const Operation op("softmax", at);
  Tensor result = raw_softmax(op, softmax_kernel, self, dim);
  return record(kSoftmaxDerivative, op, std::move(result), SliceDim{wrap_dim(op, dim, self.dim())},
                self);
}

Tensor ReduceMembers::softmax(Integer dim, At at) const { return notape::softmax(self(), dim, at); }

}  // namespace notape
