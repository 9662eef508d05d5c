// log_sigmoid(x) = log(sigmoid(x)) = min(x, 0) - log(1 + e^-|x|),  d/dx = sigmoid(-x)
#include "ops/activation/activation.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct LogSigmoid {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::select(x > T(0), -T(0), x) - math::log1p(math::exp(-math::abs(x)));
  }
};
struct LogSigmoidSlope {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T e = math::exp(-math::abs(x));
    return math::select(x < T(0), T(1), e) / (T(1) + e);
  }
};
const ElementwiseKernel<LogSigmoid> log_sigmoid_kernel("log_sigmoid");
const ElementwiseKernel<LogSigmoidSlope> log_sigmoid_slope_kernel("log_sigmoid.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kLogSigmoidSlope = derivative(
    "LogSigmoidBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
      return -grad * (sigmoid(self) * sigmoid(-self));
    }));
constexpr FloatingOperator kLogSigmoid(log_sigmoid_kernel, "LogSigmoidBackward0",
                                       elementwise([](const Tensor& grad, const Input<0>& self) {
                                         return grad *
                                                unary(log_sigmoid_slope_kernel, kLogSigmoidSlope,
                                                      {"log_sigmoid_backward", At::current()},
                                                      self);
                                       }));

const RegisterOp log_sigmoid_row(unary_spec<LogSigmoid>("log_sigmoid", log_sigmoid, nullptr,
                                                        {.low = -6, .high = 6}, Domain{-85, 85}));
const RegisterAccuracy log_sigmoid_accuracy({.row = "log_sigmoid",
                                             .value = 1.5,
                                             .reason = "is a sum of two rounded numbers"});

}  // namespace

Tensor log_sigmoid(const Tensor& self, At at) { return kLogSigmoid({"log_sigmoid", at}, self); }
#endif

}  // namespace notape
