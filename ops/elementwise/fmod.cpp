// fmod(a, b) = a - b trunc(a / b),  d/da = 1,  d/db = -trunc(a / b)
#include "ops/elementwise/divisors.h"
#include "ops/elementwise/remainder.h"

namespace notape {
namespace {

const ElementwiseKernel<Fmod, 2> fmod_kernel("fmod");
const ElementwiseKernel<FmodMultiple, 2> fmod_multiple_kernel("fmod.multiple");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kFmodMultiple = derivative(
    "FmodBackwardBackward0", elementwise([](const Tensor& grad) { return zeros_like(grad); }),
    elementwise([](const Tensor& grad) { return zeros_like(grad); }));
constexpr auto kFmodDerivative =
    derivative("FmodBackward0", elementwise([](const Tensor& grad) { return grad; }),
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
                 return -grad * binary(fmod_multiple_kernel, kFmodMultiple,
                                       {"fmod_backward", At::current()}, self, other);
               }));

const RegisterOp fmod_row(binary_spec<Fmod>("fmod", fmod, fmod_,
                                            {.domain = {.low = 0.3, .high = 0.7},
                                             .other = {.low = 0.75, .high = 3},
                                             .number = fmod,
                                             .number_in_place = fmod_}));

}  // namespace

Tensor fmod(const Tensor& self, const Tensor& other, At at) {
  const Operation op("fmod", at);
  check_divisors(op, self, other);
  return binary(fmod_kernel, kFmodDerivative, op, self, other);
}
Tensor fmod(const Tensor& self, Scalar other, At at) {
  const Operation op("fmod", at);
  return binary(fmod_kernel, kFmodDerivative, op, self, as_divisor(op, self, other));
}
Tensor& fmod_(Tensor& self, const Tensor& other, At at) {
  const Operation op("fmod_", at);
  check_divisors(op, self, other);
  return binary_(fmod_kernel, kFmodDerivative, op, self, other);
}
Tensor& fmod_(Tensor& self, Scalar other, At at) {
  const Operation op("fmod_", at);
  return binary_(fmod_kernel, kFmodDerivative, op, self, as_divisor(op, self, other));
}

Tensor ElementwiseMembers::fmod(const Tensor& other, At at) const {
  return notape::fmod(self(), other, at);
}
Tensor ElementwiseMembers::fmod(Scalar other, At at) const {
  return notape::fmod(self(), other, at);
}
Tensor& ElementwiseMembers::fmod_(const Tensor& other, At at) const {
  return notape::fmod_(self(), other, at);
}
Tensor& ElementwiseMembers::fmod_(Scalar other, At at) const {
  return notape::fmod_(self(), other, at);
}
#endif

}  // namespace notape
