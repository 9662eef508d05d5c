// frac(x) = x - trunc(x),  d/dx = 1 everywhere
#include "ops/elementwise/operator.h"
#include "ops/elementwise/step.h"
#ifndef __CUDACC__
#include "ops/elementwise/check_floating.h"
#endif

namespace notape {
namespace {

struct Frac {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return x - math::trunc(x);
  }
};
const ElementwiseKernel<Frac> frac_kernel("frac");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kFracDerivative =
    derivative("FracBackward0", elementwise([](const Tensor& grad) { return grad; }));

const RegisterOp frac_row(unary_spec<Frac>("frac", frac, frac_, steps(0)));

}  // namespace

Tensor frac(const Tensor& self, At at) {
  const Operation op("frac", at);
  check_floating_operand(op, self);
  return unary(frac_kernel, kFracDerivative, op, self);
}
Tensor& frac_(Tensor& self, At at) {
  const Operation op("frac_", at);
  check_floating_operand(op, self);
  return unary_(frac_kernel, kFracDerivative, op, self);
}

Tensor ElementwiseMembers::frac(At at) const { return notape::frac(self(), at); }
Tensor& ElementwiseMembers::frac_(At at) const { return notape::frac_(self(), at); }
#endif

}  // namespace notape
