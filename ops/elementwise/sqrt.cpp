// sqrt(x) = x^(1/2),  d/dx = 1 / (2 sqrt(x)): +inf at 0
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

struct Sqrt {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::sqrt(x);
  }
};
const ElementwiseKernel<Sqrt> sqrt_kernel("sqrt");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kSqrt(sqrt_kernel, "SqrtBackward0",
                              elementwise([](const Tensor& grad, const Output& result) {
                                return grad / (result * 2);
                              }));

const RegisterOp sqrt_row(unary_spec<Sqrt>("sqrt", sqrt, sqrt_, {.low = 0.1, .high = 9},
                                           Domain{.low = kFarLow, .high = kFarHigh}));

Tensor sqrt(const Tensor& self, At at) { return kSqrt({"sqrt", at}, self); }
Tensor& sqrt_(Tensor& self, At at) { return kSqrt.in_place({"sqrt_", at}, self); }

Tensor ElementwiseMembers::sqrt(At at) const { return notape::sqrt(self(), at); }
Tensor& ElementwiseMembers::sqrt_(At at) const { return notape::sqrt_(self(), at); }
#endif

}  // namespace notape
