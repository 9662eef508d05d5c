// cosh(x),  d/dx = sinh(x)
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

const ElementwiseKernel<functor::cosh> cosh_kernel("cosh");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kCosh(cosh_kernel, "CoshBackward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return grad * sinh(self);
                              }));

const RegisterOp cosh_row(unary_spec<functor::cosh>("cosh", cosh, cosh_, {.low = -4, .high = 4},
                                                    Domain{.low = -80, .high = 80}));
const RegisterAccuracy cosh_accuracy(
    {.row = "cosh", .value = 2.6, .slope = 2.6, .reason = "squares a root where e^x may overflow"});

Tensor cosh(const Tensor& self, At at) { return kCosh({"cosh", at}, self); }
Tensor& cosh_(Tensor& self, At at) { return kCosh.in_place({"cosh_", at}, self); }

Tensor ElementwiseMembers::cosh(At at) const { return notape::cosh(self(), at); }
Tensor& ElementwiseMembers::cosh_(At at) const { return notape::cosh_(self(), at); }
#endif

}  // namespace notape
