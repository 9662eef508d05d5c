// trunc(x) = the whole number next to x toward 0,  d/dx = 0 everywhere
#include "ops/elementwise/step.h"

namespace notape {
namespace {

struct Trunc {
  template <typename T>
  static NOTAPE_HD T of(T x) {
    return math::trunc(x);
  }
};
const ElementwiseKernel<Step<Trunc>> trunc_kernel("trunc");

}  // namespace

#ifndef __CUDACC__
constexpr auto kTruncDerivative = step_derivative("TruncBackward0");

const RegisterOp trunc_row(unary_spec<Step<Trunc>>("trunc", trunc, trunc_, steps(0)));

Tensor trunc(const Tensor& self, At at) {
  return unary(trunc_kernel, kTruncDerivative, {"trunc", at}, self);
}
Tensor& trunc_(Tensor& self, At at) {
  return unary_(trunc_kernel, kTruncDerivative, {"trunc_", at}, self);
}

Tensor ElementwiseMembers::trunc(At at) const { return notape::trunc(self(), at); }
Tensor& ElementwiseMembers::trunc_(At at) const { return notape::trunc_(self(), at); }
#endif

}  // namespace notape
