// log(x), natural,  d/dx = 1 / x;  log2(x),  d/dx = 1 / (x log(2));
// log10(x),  d/dx = 1 / (x log(10));  log1p(x) = log(1 + x), accurate near 0,  d/dx = 1 / (1 + x).
// All are NaN, and their derivatives too, where the logarithm is.
#include <limits>

#include "ops/core/log2_exp2.h"
#include "ops/core/natural_log.h"
#include "ops/elementwise/math_functors.h"
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

struct Log2 {
  using Loop = WideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::log2(x);
  }
  static float of_float(float x) { return log_of_float(x, 1); }
};
const ElementwiseKernel<Log2> log2_kernel("log2");

struct Log10 {
  using Loop = WideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::log10(x);
  }
  static float of_float(float x) { return log_of_float(x, 0.301029995663981195214); }
};
const ElementwiseKernel<Log10> log10_kernel("log10");
const ElementwiseKernel<functor::log1p> log1p_kernel("log1p");

}  // namespace

#ifndef __CUDACC__
constexpr auto kLogGradient = derivative(
    "LogBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<1>& x) { return log_gradient(grad, x); }),
    elementwise([](const Tensor& grad, const Input<0>& outer, const Input<1>& x) {
      return -log_gradient(log_gradient(grad * outer, x), x);
    }));
constexpr UnaryOperator kLog(log_kernel, "LogBackward0",
                             elementwise([](const Tensor& grad, const Input<0>& self) {
                               return log_gradient(grad, self);
                             }));

const RegisterOp log_row(unary_spec<Log>("log", log, log_, {.low = 0.1, .high = 9},
                                         Domain{.low = kFarLow, .high = kFarHigh}));

Tensor log_gradient(const Tensor& grad, const Tensor& x) {
  return binary(log_gradient_kernel, kLogGradient, {"log_backward", At::current()}, grad, x);
}

Tensor log(const Tensor& self, At at) { return kLog({"log", at}, self); }
Tensor& log_(Tensor& self, At at) { return kLog.in_place({"log_", at}, self); }

Tensor ElementwiseMembers::log(At at) const { return notape::log(self(), at); }
Tensor& ElementwiseMembers::log_(At at) const { return notape::log_(self(), at); }

constexpr double kLog2LogOfBase = 0.693147180559945309417;
constexpr UnaryOperator kLog2(log2_kernel, "Log2Backward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return log_gradient(grad / kLog2LogOfBase, self);
                              }));

const RegisterOp log2_row(unary_spec<Log2>("log2", log2, log2_, {.low = 0.1, .high = 9},
                                           Domain{.low = kFarLow, .high = kFarHigh}));

Tensor log2(const Tensor& self, At at) { return kLog2({"log2", at}, self); }
Tensor& log2_(Tensor& self, At at) { return kLog2.in_place({"log2_", at}, self); }

Tensor ElementwiseMembers::log2(At at) const { return notape::log2(self(), at); }
Tensor& ElementwiseMembers::log2_(At at) const { return notape::log2_(self(), at); }

constexpr double kLog10LogOfBase = 2.30258509299404568402;
constexpr UnaryOperator kLog10(log10_kernel, "Log10Backward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return log_gradient(grad / kLog10LogOfBase, self);
                               }));

const RegisterOp log10_row(unary_spec<Log10>("log10", log10, log10_, {.low = 0.1, .high = 9},
                                             Domain{.low = kFarLow, .high = kFarHigh}));

Tensor log10(const Tensor& self, At at) { return kLog10({"log10", at}, self); }
Tensor& log10_(Tensor& self, At at) { return kLog10.in_place({"log10_", at}, self); }

Tensor ElementwiseMembers::log10(At at) const { return notape::log10(self(), at); }
Tensor& ElementwiseMembers::log10_(At at) const { return notape::log10_(self(), at); }

constexpr UnaryOperator kLog1p(log1p_kernel, "Log1PBackward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return log_gradient(grad, self + 1);
                               }));

const RegisterOp log1p_row(unary_spec<functor::log1p>("log1p", log1p, log1p_,
                                                      {.low = -0.9, .high = 6},
                                                      Domain{.low = -0.999, .high = kFarHigh}));

Tensor log1p(const Tensor& self, At at) { return kLog1p({"log1p", at}, self); }
Tensor& log1p_(Tensor& self, At at) { return kLog1p.in_place({"log1p_", at}, self); }

Tensor ElementwiseMembers::log1p(At at) const { return notape::log1p(self(), at); }
Tensor& ElementwiseMembers::log1p_(At at) const { return notape::log1p_(self(), at); }
#endif

}  // namespace notape
