// acos(x),  d/dx = -1 / sqrt(1 - x^2)
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "ops/elementwise/asin_slope.h"
#endif

namespace notape {
namespace {

struct Acos {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::acos(x);
  }
};
const ElementwiseKernel<Acos> acos_kernel("acos");

}  // namespace

#ifndef __CUDACC__
constexpr auto kAcosDerivative = derivative(
    "AcosBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return -grad * asin_slope(self); }));

const RegisterOp acos_row(unary_spec<Acos>("acos", acos, acos_, {.low = -0.95, .high = 0.95}));

Tensor acos(const Tensor& self, At at) {
  return unary(acos_kernel, kAcosDerivative, {"acos", at}, self);
}
Tensor& acos_(Tensor& self, At at) {
  return unary_(acos_kernel, kAcosDerivative, {"acos_", at}, self);
}

Tensor ElementwiseMembers::acos(At at) const { return notape::acos(self(), at); }
Tensor& ElementwiseMembers::acos_(At at) const { return notape::acos_(self(), at); }
#endif

}  // namespace notape
