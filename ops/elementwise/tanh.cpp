// tanh(x) = (e^x - e^-x) / (e^x + e^-x),  d tanh(x)/dx = 1 - tanh(x)^2
#include "ops/elementwise/kernel.h"

namespace notape {
namespace {

struct Tanh {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::tanh(x);
  }
};
const ElementwiseKernel<Tanh> kernel("tanh");

}  // namespace
}  // namespace notape

#ifndef __CUDACC__
#include "ops/elementwise.h"
#include "ops/elementwise/elementwise.h"
#include "ops/spec/elementwise_spec.h"

namespace notape {
namespace {

constexpr auto kDerivative = derivative(
    "TanhBackward0", elementwise([](const Tensor& grad, const Output& result) {
      return grad * (1 - square(result));
    }));

const RegisterOp row(unary_spec<Tanh>("tanh", tanh, tanh_, {.low = -4, .high = 4}));

}  // namespace

Tensor tanh(const Tensor& self, At at) { return unary(kernel, kDerivative, {"tanh", at}, self); }
Tensor& tanh_(Tensor& self, At at) { return unary_(kernel, kDerivative, {"tanh_", at}, self); }

Tensor TensorOperators::tanh(At at) const { return notape::tanh(self(), at); }
Tensor& TensorOperators::tanh_(At at) { return notape::tanh_(self(), at); }

}  // namespace notape
#endif
