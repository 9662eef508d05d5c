// cosh(x),  d/dx = sinh(x)
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Cosh {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::cosh(x);
  }
};
const ElementwiseKernel<Cosh> cosh_kernel("cosh");

}  // namespace

#ifndef __CUDACC__
constexpr auto kCoshDerivative = derivative(
    "CoshBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return grad * sinh(self); }));

const RegisterOp cosh_row(unary_spec<Cosh>("cosh", cosh, cosh_, {.low = -4, .high = 4},
                                           Domain{.low = -80, .high = 80}));
const RegisterAccuracy cosh_accuracy(
    {.row = "cosh", .value = 2.6, .slope = 2.6, .reason = "squares a root where e^x may overflow"});

Tensor cosh(const Tensor& self, At at) {
  return unary(cosh_kernel, kCoshDerivative, {"cosh", at}, self);
}
Tensor& cosh_(Tensor& self, At at) {
  return unary_(cosh_kernel, kCoshDerivative, {"cosh_", at}, self);
}

Tensor ElementwiseMembers::cosh(At at) const { return notape::cosh(self(), at); }
Tensor& ElementwiseMembers::cosh_(At at) const { return notape::cosh_(self(), at); }
#endif

}  // namespace notape
