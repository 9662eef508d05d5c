// tanh(x) = y = (e^x - e^-x) / (e^x + e^-x),  dy/dx = 1 - y^2 = (1 - y) (1 + y)
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "ops/spec/known_by_result.h"
#endif

namespace notape {
namespace {

struct Tanh {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::tanh(x);
  }
};
struct TanhGradient {
  template <typename T>
  NOTAPE_HD T operator()(T grad, T y) const {
    return grad * ((T(1) - y) * (T(1) + y));  // loses no more than y has lost
  }
};
const ElementwiseKernel<Tanh> value_kernel("tanh");
const ElementwiseKernel<TanhGradient, 2> gradient_kernel("tanh.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor tanh_gradient(const Tensor& grad, const Tensor& y);

constexpr auto kGradient = derivative(
    "TanhBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<1>& y) { return tanh_gradient(grad, y); }),
    elementwise([](const Tensor& grad, const Input<0>& outer, const Input<1>& y) {
      return grad * outer * y * -2;
    }));
constexpr auto kDerivative = derivative(
    "TanhBackward0",
    elementwise([](const Tensor& grad, const Output& y) { return tanh_gradient(grad, y); }));

Tensor tanh_gradient(const Tensor& grad, const Tensor& y) {
  return binary(gradient_kernel, kGradient, {"tanh_backward", At::current()}, grad, y);
}

const RegisterOp row(unary_spec<Tanh>("tanh", tanh, tanh_, {.low = -4, .high = 4},
                                      Domain{.low = -25, .high = 25}));
const RegisterKnownByResult known(
    {.row = "tanh",
     .slope = [](Wide y) { return (1 - y) * (1 + y); },
     .reason = "saves its result, so that its input may be overwritten; from |x| = 1.7 on 1 - |y| "
               "has fewer digits than y, and none from 19 on (9 in float32)"});

}  // namespace

Tensor tanh(const Tensor& self, At at) {
  return unary(value_kernel, kDerivative, {"tanh", at}, self);
}
Tensor& tanh_(Tensor& self, At at) {
  return unary_(value_kernel, kDerivative, {"tanh_", at}, self);
}

Tensor ElementwiseMembers::tanh(At at) const { return notape::tanh(self(), at); }
Tensor& ElementwiseMembers::tanh_(At at) const { return notape::tanh_(self(), at); }
#endif

}  // namespace notape
