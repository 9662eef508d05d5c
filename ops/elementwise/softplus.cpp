// softplus(x) = log(1 + e^(beta x)) / beta, and x itself where beta x > threshold;
// d/dx = sigmoid(beta x), and 1 there
#include "ops/elementwise/kernel.h"
#include "ops/elementwise/vector_loop.h"

namespace notape {
namespace {

struct Softplus {
  using Loop = VectorLoop;
  Number beta = {1, 1}, threshold = {20, 20};
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T b = beta.as<T>(), z = x * b;
    // log(1 + e^z) without overflow
    const T y = (math::max(z, T(0)) + math::log1p(math::exp(-math::abs(z)))) / b;
    return math::select(z > threshold.as<T>(), x, y);
  }
};
const ElementwiseKernel<Softplus> kernel("softplus");

}  // namespace
}  // namespace notape

#ifndef __CUDACC__
#include "ops/elementwise.h"
#include "ops/elementwise/elementwise.h"
#include "ops/spec/elementwise_spec.h"

namespace notape {
namespace {

constexpr auto kDerivative =
    derivative("SoftplusBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Softplus& f) {
                 const Tensor z = self * f.beta.real;
                 return where(z > f.threshold.real, grad, grad * sigmoid(z));
               }));

OpCase draw_case(Draw& draw) {
  const double beta = draw.real(0.5, 4.5), threshold = draw.real(12, 24);
  OpCase one;
  one.label = format_message("beta={}, threshold={}", {beta, threshold});
  one.arguments = {
      {.sizes = draw.shape(0, 4), .domain = {.low = -8, .high = 8, .kinks = {threshold / beta}}}};
  one.call = [=](const variable_list& x) { return softplus(x[0], beta, threshold); };
  one.reference = elementwise_reference(Softplus{number(beta), number(threshold)});
  return one;
}

const RegisterOp row({.name = "softplus", .family = "elementwise", .draw = draw_case});

}  // namespace

Tensor softplus(const Tensor& self, Scalar beta, Scalar threshold, At at) {
  const Operation op("softplus", at);
  check_operand(op, self);
  for (const Scalar parameter : {beta, threshold})
    check_fits(op, parameter, floating_type(self.dtype()));
  const Softplus f{number(beta), number(threshold)};
  return unary(kernel, kDerivative, op, self, f, f);
}

}  // namespace notape
#endif
