// log(x), natural,  d/dx = 1 / x; both are NaN for x < 0
#include <limits>

#include "ops/core/natural_log.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"
#ifndef __CUDACC__
#include "ops/elementwise/log_gradient.h"
#endif

namespace notape {
namespace {

struct Log {
  using Loop = BoundedWideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::log(x);
  }
  // Positive and normal numbers come before all others.
  static constexpr auto kLeast = std::bit_cast<uint32_t>(std::numeric_limits<float>::min());
  static constexpr auto kMost = std::bit_cast<uint32_t>(std::numeric_limits<float>::max()) - kLeast;
  static uint32_t size_of(float x) { return std::bit_cast<uint32_t>(x) - kLeast; }
  static float of_float(float x) { return log_of_normal(x); }
  static float of_any(float x) { return natural_log(x); }
};
struct LogGradient {
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x) const {
    return x < T(0) ? std::numeric_limits<T>::quiet_NaN() : grad / x;
  }
};
const ElementwiseKernel<Log> log_kernel("log");
const ElementwiseKernel<LogGradient, 2> log_gradient_kernel("log.gradient");

}  // namespace

#ifndef __CUDACC__
constexpr auto kLogGradient = derivative(
    "LogBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<1>& x) { return log_gradient(grad, x); }),
    elementwise([](const Tensor& grad, const Input<0>& outer, const Input<1>& x) {
      return -log_gradient(log_gradient(grad * outer, x), x);
    }));
constexpr auto kLogDerivative = derivative(
    "LogBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return log_gradient(grad, self); }));

const RegisterOp log_row(unary_spec<Log>("log", log, log_, {.low = 0.1, .high = 9},
                                         Domain{.low = kFarLow, .high = kFarHigh}));

Tensor log_gradient(const Tensor& grad, const Tensor& x) {
  return binary(log_gradient_kernel, kLogGradient, {"log_backward", At::current()}, grad, x);
}

Tensor log(const Tensor& self, At at) {
  return unary(log_kernel, kLogDerivative, {"log", at}, self);
}
Tensor& log_(Tensor& self, At at) { return unary_(log_kernel, kLogDerivative, {"log_", at}, self); }

Tensor ElementwiseMembers::log(At at) const { return notape::log(self(), at); }
Tensor& ElementwiseMembers::log_(At at) const { return notape::log_(self(), at); }
#endif

}  // namespace notape
