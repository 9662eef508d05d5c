// acos(x),  d/dx = -1 / sqrt(1 - x^2)
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/elementwise/asin_slope.h"
#endif

namespace notape {
namespace {

const ElementwiseKernel<functor::acos> acos_kernel("acos");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kAcos(acos_kernel, "AcosBackward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return -grad * asin_slope(self);
                              }));

const RegisterOp acos_row(unary_spec<functor::acos>("acos", acos, acos_,
                                                    {.low = -0.95, .high = 0.95}));

Tensor acos(const Tensor& self, At at) { return kAcos({"acos", at}, self); }
Tensor& acos_(Tensor& self, At at) { return kAcos.in_place({"acos_", at}, self); }

Tensor ElementwiseMembers::acos(At at) const { return notape::acos(self(), at); }
Tensor& ElementwiseMembers::acos_(At at) const { return notape::acos_(self(), at); }
#endif

}  // namespace notape
