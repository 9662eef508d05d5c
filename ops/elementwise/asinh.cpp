// asinh(x),  d/dx = 1 / sqrt(1 + x^2)
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#include "ops/spec/accuracy.h"
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
const ElementwiseKernel<Asinh> asinh_kernel("asinh");

}  // namespace

#ifndef __CUDACC__
constexpr auto kAsinhDerivative =
    derivative("AsinhBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 return grad / hypot(self, ones({}, self.options()));
               }));

const RegisterOp asinh_row(unary_spec<Asinh>("asinh", asinh, asinh_, {.low = -4, .high = 4},
                                             Domain{.low = -900, .high = 900}));
const RegisterAccuracy asinh_accuracy({.row = "asinh",
                                       .value = 1.1,
                                       .reason = "is SLEEF's, just above one unit"});

Tensor asinh(const Tensor& self, At at) {
  return unary(asinh_kernel, kAsinhDerivative, {"asinh", at}, self);
}
Tensor& asinh_(Tensor& self, At at) {
  return unary_(asinh_kernel, kAsinhDerivative, {"asinh_", at}, self);
}

Tensor ElementwiseMembers::asinh(At at) const { return notape::asinh(self(), at); }
Tensor& ElementwiseMembers::asinh_(At at) const { return notape::asinh_(self(), at); }
#endif

}  // namespace notape
