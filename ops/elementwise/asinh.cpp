// asinh(x),  d/dx = 1 / sqrt(1 + x^2)
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#include "ops/spec/accuracy.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#endif

namespace notape {
namespace {

const ElementwiseKernel<functor::asinh> asinh_kernel("asinh");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kAsinh(asinh_kernel, "AsinhBackward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return grad / hypot(self, ones({}, self.options()));
                               }));

const RegisterOp asinh_row(unary_spec<functor::asinh>("asinh", asinh, asinh_,
                                                      {.low = -4, .high = 4},
                                                      Domain{.low = -900, .high = 900}));
const RegisterAccuracy asinh_accuracy({.row = "asinh",
                                       .value = 1.1,
                                       .reason = "is SLEEF's, just above one unit"});

Tensor asinh(const Tensor& self, At at) { return kAsinh({"asinh", at}, self); }
Tensor& asinh_(Tensor& self, At at) { return kAsinh.in_place({"asinh_", at}, self); }

Tensor ElementwiseMembers::asinh(At at) const { return notape::asinh(self(), at); }
Tensor& ElementwiseMembers::asinh_(At at) const { return notape::asinh_(self(), at); }
#endif

}  // namespace notape
