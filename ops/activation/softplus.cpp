// softplus(x) = log(1 + e^(beta x)) / beta, and x itself where beta x > threshold;
// d/dx = sigmoid(beta x), and 1 there
#include <limits>

#include "ops/activation/activation.h"
#include "ops/core/product_error.h"
#include "ops/elementwise/vector_loop.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Softplus {
  using Loop = VectorLoop;
  Number beta = {1, 1}, threshold = {20, 20};
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T b = beta.as<T>(), z = x * b;
    // log(1 + e^z) without overflow
    const T y = (math::max(z, T(0)) + math::log1p(exponential(x, b, z))) / b;
    return math::select(z > threshold.as<T>(), x, y);
  }

  /// e^-|x b|, where z = x b is rounded.
  template <typename T>
  static NOTAPE_HD T exponential(T x, T b, T z) {
    const T low = math::product_error(x, b, z);
    return math::corrected_exponential(math::exp(-math::abs(z)), z,
                                       math::select(z < T(0), low, -low));
  }
};
/// sigmoid(beta x), and 1 beyond the threshold: unlike a sigmoid's result it is known from x.
struct ScaledSigmoid {
  using Loop = VectorLoop;
  Number beta, threshold;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T b = beta.as<T>(), z = x * b, small = Softplus::exponential(x, b, z);
    const T slope = math::select(z < T(0), small, T(1)) / (T(1) + small);
    return math::select(z > threshold.as<T>(), T(1), slope);
  }
};
const ElementwiseKernel<Softplus> softplus_kernel("softplus");
const ElementwiseKernel<ScaledSigmoid> softplus_slope_kernel("softplus.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr double kNoThreshold = std::numeric_limits<double>::infinity();
Tensor scaled_sigmoid(const Tensor& self, double beta, double threshold = kNoThreshold);

constexpr auto kSoftplusSlope = derivative(
    "SoftplusBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self, const ScaledSigmoid& f) {
      const double beta = f.beta.real;  // 1 - sigmoid(z) = sigmoid(-z)
      const Tensor bend = grad * (scaled_sigmoid(self, beta) * scaled_sigmoid(self, -beta)) * beta;
      return f.threshold.is_finite() ? where(self * beta > f.threshold.real, 0, bend) : bend;
    }));
constexpr auto kSoftplusDerivative =
    derivative("SoftplusBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Softplus& f) {
                 return grad * scaled_sigmoid(self, f.beta.real, f.threshold.real);
               }));

Tensor scaled_sigmoid(const Tensor& self, double beta, double threshold) {
  const ScaledSigmoid f{number(beta), number(threshold)};
  return unary(softplus_slope_kernel, kSoftplusSlope, {"softplus_backward", At::current()}, self, f,
               f);
}

OpCase draw_softplus(Draw& draw) {
  const double beta = draw.real(0.5, 4.5), threshold = draw.real(12, 24);
  OpCase one;
  one.label = format_message("beta={}, threshold={}", {beta, threshold});
  one.arguments = {
      {.sizes = draw.shape(0, 4),
       .domain = near_or_far(draw, {.low = -8, .high = 8, .kinks = {threshold / beta}},
                             Domain{.low = -85 / beta, .high = 85, .kinks = {threshold / beta}})}};
  one.call = [=](const variable_list& x) { return softplus(x[0], beta, threshold); };
  one.reference = elementwise_reference([=]<typename T>(T x) {
    const T z = x * T(beta);
    if (z > T(threshold)) return x;
    return (math::max(z, T(0)) + math::log1p(math::exp(-math::abs(z)))) / T(beta);
  });
  return one;
}

const RegisterOp softplus_row(op_row("softplus", "elementwise", draw_softplus));
const RegisterAccuracy softplus_accuracy(
    {.row = "softplus",
     .value = 3,
     .reason = "divides a logarithm by beta: where that is below 1, also subnormal numbers"});

}  // namespace

Tensor softplus(const Tensor& self, Scalar beta, Scalar threshold, At at) {
  const Operation op("softplus", at);
  check_operand(op, self);
  for (const Scalar parameter : {beta, threshold})
    check_fits(op, parameter, floating_type(self.dtype()));
  const Softplus f{number(beta), number(threshold)};
  return unary(softplus_kernel, kSoftplusDerivative, op, self, f, f);
}
#endif

}  // namespace notape
