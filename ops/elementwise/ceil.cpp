// ceil(x) = the smallest whole number that is not smaller,  d/dx = 0 everywhere
#include "ops/elementwise/step.h"

namespace notape {
namespace {

struct Ceil {
  template <typename T>
  static NOTAPE_HD T of(T x) {
    return math::ceil(x);
  }
};
const ElementwiseKernel<Step<Ceil>> ceil_kernel("ceil");

}  // namespace

#ifndef __CUDACC__
constexpr auto kCeilDerivative = step_derivative("CeilBackward0");

const RegisterOp ceil_row(unary_spec<Step<Ceil>>("ceil", ceil, ceil_, steps(0)));

Tensor ceil(const Tensor& self, At at) {
  return unary(ceil_kernel, kCeilDerivative, {"ceil", at}, self);
}
Tensor& ceil_(Tensor& self, At at) {
  return unary_(ceil_kernel, kCeilDerivative, {"ceil_", at}, self);
}

Tensor ElementwiseMembers::ceil(At at) const { return notape::ceil(self(), at); }
Tensor& ElementwiseMembers::ceil_(At at) const { return notape::ceil_(self(), at); }
#endif

}  // namespace notape
