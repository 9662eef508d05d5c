// expm1(x) = e^x - 1, accurate near 0,  d/dx = e^x: from x, because near -1 the result has lost it
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"

namespace notape {
namespace {

struct Expm1 {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::expm1(x);
  }
};
const ElementwiseKernel<Expm1> expm1_kernel("expm1");

}  // namespace

#ifndef __CUDACC__
constexpr auto kExpm1Derivative = derivative(
    "Expm1Backward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return grad * exp(self); }));

const RegisterOp expm1_row(unary_spec<Expm1>("expm1", expm1, expm1_, {.low = -3, .high = 4},
                                             Domain{.low = -40, .high = 80}));

Tensor expm1(const Tensor& self, At at) {
  return unary(expm1_kernel, kExpm1Derivative, {"expm1", at}, self);
}
Tensor& expm1_(Tensor& self, At at) {
  return unary_(expm1_kernel, kExpm1Derivative, {"expm1_", at}, self);
}

Tensor ElementwiseMembers::expm1(At at) const { return notape::expm1(self(), at); }
Tensor& ElementwiseMembers::expm1_(At at) const { return notape::expm1_(self(), at); }
#endif

}  // namespace notape
