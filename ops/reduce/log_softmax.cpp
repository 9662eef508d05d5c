// log_softmax(x)[i] = x[i] - log(sum(e^x)) along a dimension, computed with x - max(x). With
// y = log_softmax(x) the gradient is g - e^y sum(g), the tangent t - sum(e^y t).
#include "ops/ops.h"
#include "ops/reduce/plain_exponentials.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/softmax.h"

namespace notape {
namespace {

/// For y, the logarithm of a probability.
struct LogFormula {
  template <typename T>
  static T probability(T) {
    return T(0);  // nobody asks
  }
  template <typename T>
  static bool dominates(T y) {
    return y > T(-0.6931);
  }
};
struct GradientFormula : LogFormula {
  template <typename T>
  static T term(T g, T) {
    return g;
  }
  template <typename T>
  static T finish(T g, T y, T sum) {
    return g - exp_below_zero(y) * sum;
  }
  template <typename T>
  static T finish_largest(T, T y, const SliceSums<T>& sums) {
    return -std::expm1(y) * sums.all - sums.others;
  }
};
/// Its transpose.
struct CenteredFormula : LogFormula {
  template <typename T>
  static T term(T t, T y) {
    return exp_below_zero(y) * t;
  }
  template <typename T>
  static T finish(T t, T, T sum) {
    return t - sum;
  }
  template <typename T>
  static T finish_largest(T t, T y, const SliceSums<T>& sums) {
    return -std::expm1(y) * t - sums.others;
  }
};

/// g - e^y sum(g) as an operator of g and y, with derivatives of its own.
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, const SliceDim& p,
                            At at = At::current());

/// t - sum(e^y t), its transpose, likewise.
Tensor centered(const Tensor& tangent, const Tensor& result, const SliceDim& p);

constexpr auto kBackward = derivative(
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
                compute_softmax_gradient<CenteredFormula>(op, tangent, result, p.dim), p, tangent,
                result);
}

Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, const SliceDim& p, At at) {
  const Operation op("log_softmax_backward", at);
  return record(kBackward, op, compute_softmax_gradient<GradientFormula>(op, grad, result, p.dim),
                p, grad, result);
}

constexpr auto kDerivative =
    derivative("LogSoftmaxBackward0",
               rule([](const Tensor& grad, const Output& result,
                       const SliceDim& p) { return log_softmax_backward(grad, result, p); },
                    [](const Tensor& tangent, const Output& result, const SliceDim& p) {
                      return centered(tangent, result, p);
                    }));

OpCase draw_case(Draw& draw) {
  return slice_case(
      draw, [](const Tensor& x, int64_t dim) { return log_softmax(x, dim); }, plain_log_softmax,
      Domain{.low = -kFarApart, .high = kFarApart});
}

const RegisterOp row({.name = "log_softmax", .family = "reduce", .draw = draw_case});

}  // namespace

Tensor log_softmax(const Tensor& self, int64_t dim, At at) {
  const Operation op("log_softmax", at);
  Tensor result = SoftmaxKernel<true>::compute(op, self, dim);
  return record(kDerivative, op, std::move(result), SliceDim{wrap_dim(dim, self.dim())}, self);
}

Tensor TensorOperators::log_softmax(int64_t dim, At at) const {
  return notape::log_softmax(self(), dim, at);
}

}  // namespace notape
