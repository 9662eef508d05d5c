// logit(x) = log(x / (1 - x)),  d/dx = 1 / (x (1 - x)); with eps of clamp(x, eps, 1 - eps)
#include <limits>

#include "ops/elementwise/constant.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Logit {
  using Loop = VectorLoop;
  Number low = {0, 0}, high = {1, 1};
  bool clamps = false;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    T z = x;
    if (clamps) {
      z = math::select(x < low.as<T>(), low.as<T>(), x);
      z = math::select(z > high.as<T>(), high.as<T>(), z);
    }
    // Near 1 / 2 the quotient is nearly 1, and its logarithm has lost what it is apart.
    const T middle = math::log1p((z + z - T(1)) / (T(1) - z)), outside = math::log(z / (T(1) - z));
    return math::select(math::abs(z - constant<T>(0.5)) < constant<T>(0.25), middle, outside);
  }
};
struct LogitSlope {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return T(1) / (x * (T(1) - x) + T(0));  // at -0, too, the limit from where there are values
  }
};
const ElementwiseKernel<Logit> logit_kernel("logit");
const ElementwiseKernel<LogitSlope> logit_slope_kernel("logit.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor logit_slope(const Tensor& self);

constexpr auto kLogitSlope =
    derivative("LogitBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 const Tensor slope = logit_slope(self);
                 return grad * (slope * (slope * (self * 2 - 1)));
               }));
constexpr auto kLogitDerivative = derivative(
    "LogitBackward0", elementwise([](const Tensor& grad, const Input<0>& self, const Logit& f) {
      const double nowhere = std::numeric_limits<double>::quiet_NaN();
      const Tensor inside = f.clamps ? logical_and(self > f.low.real, self < f.high.real)
                                     : logical_and(self >= 0, self <= 1);
      return where(inside, grad * logit_slope(self), f.clamps ? 0 : nowhere);
    }));

Tensor logit_slope(const Tensor& self) {
  return unary(logit_slope_kernel, kLogitSlope, {"logit_backward", At::current()}, self);
}

Logit checked_logit(const Operation& op, const Tensor& self, std::optional<double> eps) {
  check_operand(op, self);
  if (!eps) return {};
  return {number(*eps), number(1 - *eps), true};
}

OpCase draw_logit(Draw& draw) {
  const std::optional<double> eps =
      draw.boolean() ? std::optional(draw.real(0.0625, 0.25)) : std::nullopt;
  OpCase one;
  Domain domain{.low = 0.03, .high = 0.97};
  if (eps) {
    one.label = format_message("eps={}", {*eps});
    domain = {.low = -0.5, .high = 1.5, .kinks = {*eps, 1 - *eps}};
  }
  one.arguments = {{.sizes = draw.shape(0, 4), .domain = domain}};
  one.call = [=](const variable_list& x) { return logit(x[0], eps); };
  one.call_in_place = [=](variable_list& x) { logit_(x[0], eps); };
  one.reference =
      elementwise_reference(eps ? Logit{number(*eps), number(1 - *eps), true} : Logit{});
  return one;
}

const RegisterOp logit_row({.name = "logit", .family = "elementwise", .draw = draw_logit});
const RegisterAccuracy logit_accuracy({.row = "logit",
                                       .value = 2.8,
                                       .reason = "is the logarithm of a rounded quotient"});

}  // namespace

Tensor logit(const Tensor& self, std::optional<double> eps, At at) {
  const Operation op("logit", at);
  const Logit f = checked_logit(op, self, eps);
  return unary(logit_kernel, kLogitDerivative, op, self, f, f);
}
Tensor& logit_(Tensor& self, std::optional<double> eps, At at) {
  const Operation op("logit_", at);
  const Logit f = checked_logit(op, self, eps);
  return unary_(logit_kernel, kLogitDerivative, op, self, f, f);
}

Tensor ElementwiseMembers::logit(std::optional<double> eps, At at) const {
  return notape::logit(self(), eps, at);
}
Tensor& ElementwiseMembers::logit_(std::optional<double> eps, At at) const {
  return notape::logit_(self(), eps, at);
}
#endif

}  // namespace notape
