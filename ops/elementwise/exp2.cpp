// exp2(x) = 2^x = y,  dy/dx = log(2) y
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"

namespace notape {
namespace {

struct Exp2 {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::exp2(x);
  }
};
const ElementwiseKernel<Exp2> value_kernel("exp2");

}  // namespace

#ifndef __CUDACC__
constexpr double kLog2 = 0.693147180559945309417;
constexpr auto kDerivative = derivative(
    "Exp2Backward0",
    elementwise([](const Tensor& grad, const Output& result) { return grad * (result * kLog2); }));

const RegisterOp row(unary_spec<Exp2>("exp2", exp2, exp2_, {.low = -4, .high = 4},
                                      Domain{.low = -120, .high = 120}));

Tensor exp2(const Tensor& self, At at) {
  return unary(value_kernel, kDerivative, {"exp2", at}, self);
}
Tensor& exp2_(Tensor& self, At at) {
  return unary_(value_kernel, kDerivative, {"exp2_", at}, self);
}

Tensor ElementwiseMembers::exp2(At at) const { return notape::exp2(self(), at); }
Tensor& ElementwiseMembers::exp2_(At at) const { return notape::exp2_(self(), at); }
#endif

}  // namespace notape
