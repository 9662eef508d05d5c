// sinh(x),  d/dx = cosh(x)
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

const ElementwiseKernel<functor::sinh> sinh_kernel("sinh");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kSinh(sinh_kernel, "SinhBackward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return grad * cosh(self);
                              }));

const RegisterOp sinh_row(unary_spec<functor::sinh>("sinh", sinh, sinh_, {.low = -4, .high = 4},
                                                    Domain{.low = -80, .high = 80}));
const RegisterAccuracy sinh_accuracy(
    {.row = "sinh", .value = 2.6, .slope = 2.6, .reason = "squares a root where e^x may overflow"});

Tensor sinh(const Tensor& self, At at) { return kSinh({"sinh", at}, self); }
Tensor& sinh_(Tensor& self, At at) { return kSinh.in_place({"sinh_", at}, self); }

Tensor ElementwiseMembers::sinh(At at) const { return notape::sinh(self(), at); }
Tensor& ElementwiseMembers::sinh_(At at) const { return notape::sinh_(self(), at); }
#endif

}  // namespace notape
