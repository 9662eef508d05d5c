// acosh(x),  d/dx = 1 / sqrt(x^2 - 1), in a form that does not cancel near 1, does not overflow,
// and is NaN below 1, as the value is
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

const ElementwiseKernel<functor::acosh> acosh_kernel("acosh");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kAcosh(acosh_kernel, "AcoshBackward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return grad * (rsqrt(self - 1) * rsqrt(self + 1));
                               }));

const RegisterOp acosh_row(unary_spec<functor::acosh>("acosh", acosh, acosh_,
                                                      {.low = 1.05, .high = 9},
                                                      Domain{.low = 1.05, .high = 900}));
const RegisterAccuracy acosh_accuracy(
    {.row = "acosh", .slope = 3.5, .reason = "has a slope of two roots, so as not to overflow"});

Tensor acosh(const Tensor& self, At at) { return kAcosh({"acosh", at}, self); }
Tensor& acosh_(Tensor& self, At at) { return kAcosh.in_place({"acosh_", at}, self); }

Tensor ElementwiseMembers::acosh(At at) const { return notape::acosh(self(), at); }
Tensor& ElementwiseMembers::acosh_(At at) const { return notape::acosh_(self(), at); }
#endif

}  // namespace notape
