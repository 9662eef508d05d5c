// log_softmax(x)[i] = x[i] - log(sum(e^x)) along a dimension, computed with x - max(x). With
// y = log_softmax(x) the gradient is g - e^y sum(g), the tangent t - sum(e^y t).
#include "ops/arithmetic.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/plain_exponentials.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/softmax.h"
#include "ops/shape.h"
#include "ops/transcendental.h"

namespace notape {
namespace {

/// g - e^y sum(g) as an operator of g and y, with derivatives of its own.
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, const SliceDim& p,
                            At at = At::current());

/// t - sum(e^y t), its transpose, likewise.
Tensor centered(const Tensor& tangent, const Tensor& result, const SliceDim& p);

constexpr auto kLogSoftmaxBackward = derivative(
    "LogSoftmaxBackwardDataBackward0",
    rule([](const Tensor& grad, const Input<1>& y,
            const SliceDim& p) { return centered(grad, y, p); },
         [](const Tensor& tangent, const Input<1>& y, const SliceDim& p) {
           return log_softmax_backward(tangent, y, p);
         }),
    elementwise([](const Tensor& grad, const Input<0>& g, const Input<1>& y, const SliceDim& p) {
      return -(grad * exp(y) * sum(g, p.dim, true));
    }));

constexpr auto kCentered = derivative(
    "LogSoftmaxForwardBackward0",
    rule([](const Tensor& grad, const Input<1>& y,
            const SliceDim& p) { return log_softmax_backward(grad, y, p); },
         [](const Tensor& tangent, const Input<1>& y, const SliceDim& p) {
           return centered(tangent, y, p);
         }),
    rule([](const Tensor& grad, const Input<0>& t, const Input<1>& y,
            const SliceDim& p) { return -(sum(grad, p.dim, true) * (exp(y) * t)); },
         [](const Tensor& tangent, const Input<0>& t, const Input<1>& y, const SliceDim& p) {
           return expand(-sum(exp(y) * t * tangent, p.dim, true), y.sizes());
         }));

Tensor centered(const Tensor& tangent, const Tensor& result, const SliceDim& p) {
  const Operation op("log_softmax_forward", At::current());
  return record(kCentered, op,
                raw_softmax_gradient(op, log_softmax_tangent_kernel, tangent, result, p.dim), p,
                tangent, result);
}

Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, const SliceDim& p, At at) {
  const Operation op("log_softmax_backward", at);
  return record(kLogSoftmaxBackward, op,
                raw_softmax_gradient(op, log_softmax_gradient_kernel, grad, result, p.dim), p, grad,
                result);
}

constexpr auto kLogSoftmaxDerivative =
    derivative("LogSoftmaxBackward0",
               rule([](const Tensor& grad, const Output& result,
                       const SliceDim& p) { return log_softmax_backward(grad, result, p); },
                    [](const Tensor& tangent, const Output& result, const SliceDim& p) {
                      return centered(tangent, result, p);
                    }));

OpCase draw_log_softmax(Draw& draw) {
  return slice_case(
      draw, [](const Tensor& x, int64_t dim) { return log_softmax(x, dim); }, plain_log_softmax,
      Domain{.low = -kFarApart, .high = kFarApart});
}

const RegisterOp log_softmax_row(op_row("log_softmax", "reduce", draw_log_softmax, Trait::Reduces));

}  // namespace

Tensor log_softmax(const Tensor& self, Integer dim, At at) {
  const Operation op("log_softmax", at);
  Tensor result = raw_softmax(op, log_softmax_kernel, self, dim);
  return record(kLogSoftmaxDerivative, op, std::move(result),
                SliceDim{wrap_dim(op, dim, self.dim())}, self);
}

Tensor ReduceMembers::log_softmax(Integer dim, At at) const {
  return notape::log_softmax(self(), dim, at);
}

}  // namespace notape
