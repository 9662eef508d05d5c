// expm1(x) = e^x - 1, accurate near 0,  d/dx = e^x: from x, because near -1 the result has lost it
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

const ElementwiseKernel<functor::expm1> expm1_kernel("expm1");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kExpm1(expm1_kernel, "Expm1Backward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return grad * exp(self);
                               }));

const RegisterOp expm1_row(unary_spec<functor::expm1>("expm1", expm1, expm1_,
                                                      {.low = -3, .high = 4},
                                                      Domain{.low = -40, .high = 80}));

Tensor expm1(const Tensor& self, At at) { return kExpm1({"expm1", at}, self); }
Tensor& expm1_(Tensor& self, At at) { return kExpm1.in_place({"expm1_", at}, self); }

Tensor ElementwiseMembers::expm1(At at) const { return notape::expm1(self(), at); }
Tensor& ElementwiseMembers::expm1_(At at) const { return notape::expm1_(self(), at); }
#endif

}  // namespace notape
