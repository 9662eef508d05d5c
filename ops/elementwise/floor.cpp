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
const ElementwiseKernel<Step<Floor>> floor_kernel("floor");

}  // namespace

#ifndef __CUDACC__
constexpr auto kFloorDerivative = step_derivative("FloorBackward0");

const RegisterOp floor_row(unary_spec<Step<Floor>>("floor", floor, floor_, steps(0)));

Tensor floor(const Tensor& self, At at) {
  return unary(floor_kernel, kFloorDerivative, {"floor", at}, self);
}
Tensor& floor_(Tensor& self, At at) {
  return unary_(floor_kernel, kFloorDerivative, {"floor_", at}, self);
}

Tensor ElementwiseMembers::floor(At at) const { return notape::floor(self(), at); }
Tensor& ElementwiseMembers::floor_(At at) const { return notape::floor_(self(), at); }
#endif

}  // namespace notape
