// sub(a, b) = a - alpha b,  d/da = 1,  d/db = -alpha;  rsub(a, c) = c - a
#include "ops/elementwise/kernel.h"

namespace notape {
namespace {

struct Sub {
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};
struct SubFromNumber {
  static constexpr TypeSet types = kNumberTypes;
  Number number;
  template <typename T>
  NOTAPE_HD T operator()(T a) const {
    return static_cast<T>(number.as<T>() - a);
  }
};
const ElementwiseKernel<Sub, 2> sub_kernel("sub");
const ElementwiseKernel<SubFromNumber> rsub_kernel("rsub");

}  // namespace
}  // namespace notape

#ifndef __CUDACC__
#include "ops/elementwise.h"
#include "ops/elementwise/elementwise.h"
#include "ops/spec/elementwise_spec.h"

namespace notape {
namespace {

constexpr auto kSub =
    derivative("SubBackward0", elementwise([](const Tensor& grad) { return grad; }),
               elementwise([](const Tensor& grad) { return -grad; }));
constexpr auto kRsub = derivative("RsubBackward1", elementwise([](const Tensor& grad) { return -grad; }));

const RegisterOp row(binary_spec<Sub>(
    "sub", [](const Tensor& a, const Tensor& b) { return sub(a, b); },
    [](Tensor& a, const Tensor& b) { sub_(a, b); }));

}  // namespace

Tensor sub(const Tensor& self, const Tensor& other, Scalar alpha, At at) {
  if (!alpha.equals(1)) return add(self, other, -alpha, at);
  return binary(sub_kernel, kSub, {"sub", at}, self, other);
}
Tensor sub(const Tensor& self, Scalar other, Scalar alpha, At at) {
  return add(self, other, -alpha, at);
}
Tensor& sub_(Tensor& self, const Tensor& other, Scalar alpha, At at) {
  if (!alpha.equals(1)) return add_(self, other, -alpha, at);
  return binary_(sub_kernel, kSub, {"sub_", at}, self, other);
}
Tensor& sub_(Tensor& self, Scalar other, Scalar alpha, At at) {
  return add_(self, other, -alpha, at);
}
Tensor rsub(const Tensor& self, Scalar other, At at) {
  return unary_number(rsub_kernel, kRsub, {"rsub", at}, self, other, {number(other)});
}

Tensor operator-(Operand self, Operand other) { return sub(self.tensor, other.tensor, 1, self.at); }
Tensor operator-(Operand self, Scalar other) { return sub(self.tensor, other, 1, self.at); }
Tensor operator-(Scalar self, Operand other) { return rsub(other.tensor, self, other.at); }

Tensor TensorOperators::sub(const Tensor& other, Scalar alpha, At at) const {
  return notape::sub(self(), other, alpha, at);
}
Tensor TensorOperators::sub(Scalar other, Scalar alpha, At at) const {
  return notape::sub(self(), other, alpha, at);
}
Tensor& TensorOperators::sub_(const Tensor& other, Scalar alpha, At at) {
  return notape::sub_(self(), other, alpha, at);
}
Tensor& TensorOperators::sub_(Scalar other, Scalar alpha, At at) {
  return notape::sub_(self(), other, alpha, at);
}

}  // namespace notape
#endif
