// digamma(x): the derivative of lgamma,  d/dx = polygamma(1, x)
#include "ops/core/polygamma.h"
#include "ops/elementwise/of_order.h"

namespace notape {
namespace {

using Digamma = OfOrder<math::Polygammas>;
const ElementwiseKernel<Digamma> digamma_kernel("digamma");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kDigamma(digamma_kernel, "DigammaBackward0",
                                 elementwise([](const Tensor& grad, const Input<0>& self) {
                                   return grad * polygamma(1, self);
                                 }));

const RegisterOp digamma_row(unary_spec<Digamma>("digamma", digamma, digamma_,
                                                 {.low = 0.3, .high = 12},
                                                 Domain{.low = -2.75, .high = -2.25}));

Tensor digamma(const Tensor& self, At at) { return kDigamma({"digamma", at}, self); }
Tensor& digamma_(Tensor& self, At at) { return kDigamma.in_place({"digamma_", at}, self); }

Tensor ElementwiseMembers::digamma(At at) const { return notape::digamma(self(), at); }
Tensor& ElementwiseMembers::digamma_(At at) const { return notape::digamma_(self(), at); }
#endif

}  // namespace notape
