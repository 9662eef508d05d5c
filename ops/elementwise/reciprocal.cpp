// reciprocal(x) = 1 / x,  d/dx = -1 / x^2
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

struct Reciprocal {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return T(1) / x;
  }
};
const ElementwiseKernel<Reciprocal> reciprocal_kernel("reciprocal");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kReciprocal(reciprocal_kernel, "ReciprocalBackward0",
                                    elementwise([](const Tensor& grad, const Output& result) {
                                      return -(grad * square(result));
                                    }));

const RegisterOp reciprocal_row(unary_spec<Reciprocal>("reciprocal", reciprocal, reciprocal_,
                                                       {.low = 0.2, .high = 4},
                                                       Domain{.low = 0x1p-24, .high = kFarHigh}));

Tensor reciprocal(const Tensor& self, At at) { return kReciprocal({"reciprocal", at}, self); }
Tensor& reciprocal_(Tensor& self, At at) { return kReciprocal.in_place({"reciprocal_", at}, self); }

Tensor ElementwiseMembers::reciprocal(At at) const { return notape::reciprocal(self(), at); }
Tensor& ElementwiseMembers::reciprocal_(At at) const { return notape::reciprocal_(self(), at); }
#endif

}  // namespace notape
