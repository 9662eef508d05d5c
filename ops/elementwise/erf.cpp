// erf(x) = 2 / sqrt(pi) * integral of e^(-t^2) from 0 to x,  d/dx = 2 / sqrt(pi) * e^(-x^2)
#include "ops/elementwise/kernel.h"
#include "ops/elementwise/vector_loop.h"

namespace notape {
namespace {

struct Erf {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::erf(x);
  }
};
const ElementwiseKernel<Erf> kernel("erf");

}  // namespace
}  // namespace notape

#ifndef __CUDACC__
#include "ops/elementwise.h"
#include "ops/elementwise/elementwise.h"
#include "ops/spec/elementwise_spec.h"

namespace notape {
namespace {

constexpr double kTwoOverRootPi = 1.1283791670955125739;
constexpr auto kDerivative =
    derivative("ErfBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
                 return grad * exp(-square(self)) * kTwoOverRootPi;
               }));

const RegisterOp row(unary_spec<Erf>("erf", erf, erf_, {.low = -3, .high = 3}));

}  // namespace

Tensor erf(const Tensor& self, At at) { return unary(kernel, kDerivative, {"erf", at}, self); }
Tensor& erf_(Tensor& self, At at) { return unary_(kernel, kDerivative, {"erf_", at}, self); }

Tensor TensorOperators::erf(At at) const { return notape::erf(self(), at); }
Tensor& TensorOperators::erf_(At at) const { return notape::erf_(self(), at); }

}  // namespace notape
#endif
