// reciprocal(x) = 1 / x,  d/dx = -1 / x^2
#include "ops/elementwise/kernel.h"

namespace notape {
namespace {

struct Reciprocal {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return T(1) / x;
  }
};
const ElementwiseKernel<Reciprocal> value_kernel("reciprocal");

}  // namespace
}  // namespace notape

#ifndef __CUDACC__
#include "ops/elementwise.h"
#include "ops/elementwise/elementwise.h"
#include "ops/spec/elementwise_spec.h"

namespace notape {
namespace {

constexpr auto kDerivative = derivative(
    "ReciprocalBackward0",
    elementwise([](const Tensor& grad, const Output& result) { return -(grad * square(result)); }));

const RegisterOp row(unary_spec<Reciprocal>("reciprocal", reciprocal, reciprocal_,
                                            {.low = 0.2, .high = 4},
                                            Domain{.low = 0x1p-24, .high = kFarHigh}));

}  // namespace

Tensor reciprocal(const Tensor& self, At at) {
  return unary(value_kernel, kDerivative, {"reciprocal", at}, self);
}
Tensor& reciprocal_(Tensor& self, At at) {
  return unary_(value_kernel, kDerivative, {"reciprocal_", at}, self);
}

Tensor TensorOperators::reciprocal(At at) const { return notape::reciprocal(self(), at); }
Tensor& TensorOperators::reciprocal_(At at) const { return notape::reciprocal_(self(), at); }

}  // namespace notape
#endif
