// relu(x) = max(x, 0),  d/dx = 1 where the result is positive, else 0: at x = 0 too
#include "ops/activation/activation.h"

namespace notape {
namespace {

struct Relu {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::max(x, T(0));
  }
};
/// The gradient where it passed: a NaN result passes it, as in LibTorch.
struct ReluGradient {
  template <typename T>
  NOTAPE_HD T operator()(T grad, T result) const {
    return result <= T(0) ? T(0) : grad;
  }
};
const ElementwiseKernel<Relu> relu_kernel("relu", "Boolean inputs not supported for relu");
const ElementwiseKernel<ReluGradient, 2> relu_gradient_kernel("relu.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor relu_gradient(const Tensor& grad, const Tensor& result);

constexpr auto kReluGradient =
    derivative("ReluBackwardBackward0", selection([](const Tensor& grad, const Input<1>& result) {
                 return relu_gradient(grad, result);
               }),
               not_differentiable);
constexpr UnaryOperator kRelu(relu_kernel, "ReluBackward0",
                              selection([](const Tensor& grad, const Output& result) {
                                return relu_gradient(grad, result);
                              }));

Tensor relu_gradient(const Tensor& grad, const Tensor& result) {
  return binary(relu_gradient_kernel, kReluGradient, {"relu_backward", At::current()}, grad,
                result);
}

const RegisterOp relu_row(with_traits(Trait::Clamps,
                                      unary_spec<Relu>("relu", relu, relu_,
                                                       {.low = -3, .high = 3, .kinks = {0}})));

}  // namespace

Tensor relu(const Tensor& self, At at) { return kRelu({"relu", at}, self); }
Tensor& relu_(Tensor& self, At at) { return kRelu.in_place({"relu_", at}, self); }

Tensor ElementwiseMembers::relu(At at) const { return notape::relu(self(), at); }
Tensor& ElementwiseMembers::relu_(At at) const { return notape::relu_(self(), at); }
#endif

}  // namespace notape
