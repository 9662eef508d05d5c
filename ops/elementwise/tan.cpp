// tan(x) = y,  dy/dx = 1 + y^2
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

const ElementwiseKernel<functor::tan> tan_kernel("tan");

}  // namespace

#ifndef __CUDACC__
constexpr auto kTanDerivative =
    derivative("TanBackward0", elementwise([](const Tensor& grad, const Output& result) {
                 return grad * (square(result) + 1);
               }));

const RegisterOp tan_row(unary_spec<functor::tan>("tan", tan, tan_, {.low = -1.4, .high = 1.4},
                                                  Domain{.low = 1.8, .high = 4.5}));

Tensor tan(const Tensor& self, At at) {
  return unary(tan_kernel, kTanDerivative, {"tan", at}, self);
}
Tensor& tan_(Tensor& self, At at) { return unary_(tan_kernel, kTanDerivative, {"tan_", at}, self); }

Tensor ElementwiseMembers::tan(At at) const { return notape::tan(self(), at); }
Tensor& ElementwiseMembers::tan_(At at) const { return notape::tan_(self(), at); }
#endif

}  // namespace notape
