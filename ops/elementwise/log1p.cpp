// log1p(x) = log(1 + x), accurate near 0,  d/dx = 1 / (1 + x)
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/elementwise/log_gradient.h"
#endif

namespace notape {
namespace {

const ElementwiseKernel<functor::log1p> log1p_kernel("log1p");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kLog1p(log1p_kernel, "Log1PBackward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return log_gradient(grad, self + 1);
                               }));

const RegisterOp log1p_row(unary_spec<functor::log1p>("log1p", log1p, log1p_,
                                                      {.low = -0.9, .high = 6},
                                                      Domain{.low = -0.999, .high = kFarHigh}));

Tensor log1p(const Tensor& self, At at) { return kLog1p({"log1p", at}, self); }
Tensor& log1p_(Tensor& self, At at) { return kLog1p.in_place({"log1p_", at}, self); }

Tensor ElementwiseMembers::log1p(At at) const { return notape::log1p(self(), at); }
Tensor& ElementwiseMembers::log1p_(At at) const { return notape::log1p_(self(), at); }
#endif

}  // namespace notape
