// asinh(x),  d/dx = 1 / sqrt(1 + x^2)
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#endif

namespace notape {
namespace {

struct Asinh {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::asinh(x);
  }
};
const ElementwiseKernel<Asinh> value_kernel("asinh");

}  // namespace

#ifndef __CUDACC__
constexpr auto kDerivative =
    derivative("AsinhBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 return grad / hypot(self, ones({}, self.options()));
               }));

const RegisterOp row(unary_spec<Asinh>("asinh", asinh, asinh_, {.low = -4, .high = 4},
                                       Domain{.low = -900, .high = 900}));

Tensor asinh(const Tensor& self, At at) {
  return unary(value_kernel, kDerivative, {"asinh", at}, self);
}
Tensor& asinh_(Tensor& self, At at) {
  return unary_(value_kernel, kDerivative, {"asinh_", at}, self);
}

Tensor ElementwiseMembers::asinh(At at) const { return notape::asinh(self(), at); }
Tensor& ElementwiseMembers::asinh_(At at) const { return notape::asinh_(self(), at); }
#endif

}  // namespace notape
