// rsqrt(x) = x^(-1/2),  d/dx = -rsqrt(x)^3 / 2
#include "ops/elementwise/operator.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Rsqrt {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return T(1) / math::sqrt(x);
  }
};
const ElementwiseKernel<Rsqrt> rsqrt_kernel("rsqrt");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kRsqrt(rsqrt_kernel, "RsqrtBackward0",
                               elementwise([](const Tensor& grad, const Output& result) {
                                 // The cube alone may be out of range.
                                 return grad * (square(result) * (result * -0.5));
                               }));

const RegisterOp rsqrt_row(unary_spec<Rsqrt>("rsqrt", rsqrt, rsqrt_, {.low = 0.1, .high = 9},
                                             Domain{.low = 0x1p-24, .high = kFarHigh}));
const RegisterAccuracy rsqrt_accuracy(
    {.row = "rsqrt",
     .value = 1.5,
     .slope = 5.5,
     .second = 10,
     .reason = "rounds a root and its reciprocal, and its slope is the cube of what it saves"});

Tensor rsqrt(const Tensor& self, At at) { return kRsqrt({"rsqrt", at}, self); }
Tensor& rsqrt_(Tensor& self, At at) { return kRsqrt.in_place({"rsqrt_", at}, self); }

Tensor ElementwiseMembers::rsqrt(At at) const { return notape::rsqrt(self(), at); }
Tensor& ElementwiseMembers::rsqrt_(At at) const { return notape::rsqrt_(self(), at); }
#endif

}  // namespace notape
