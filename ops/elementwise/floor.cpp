// floor(x) = the largest whole number that is not larger,  d/dx = 0 everywhere
#include "ops/elementwise/step.h"

namespace notape {
namespace {

struct Floor {
  template <typename T>
  static NOTAPE_HD T of(T x) {
    return math::floor(x);
  }
};
const ElementwiseKernel<Step<Floor>> value_kernel("floor");

}  // namespace

#ifndef __CUDACC__
constexpr auto kDerivative = step_derivative("FloorBackward0");

const RegisterOp row(unary_spec<Step<Floor>>("floor", floor, floor_, steps(0)));

Tensor floor(const Tensor& self, At at) {
  return unary(value_kernel, kDerivative, {"floor", at}, self);
}
Tensor& floor_(Tensor& self, At at) {
  return unary_(value_kernel, kDerivative, {"floor_", at}, self);
}

Tensor ElementwiseMembers::floor(At at) const { return notape::floor(self(), at); }
Tensor& ElementwiseMembers::floor_(At at) const { return notape::floor_(self(), at); }
#endif

}  // namespace notape
