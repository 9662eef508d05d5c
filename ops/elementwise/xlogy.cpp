// xlogy(x, y) = x log(y), and 0 where x is 0 unless y is NaN,  d/dx = log(y), 0 where x is 0 and y
// <= 0; d/dy = x / y
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#include "ops/elementwise/log_gradient.h"
#endif

namespace notape {
namespace {

struct Xlogy {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x, T y) const {
    const T product = x * math::log(y);
    return math::select(y != y, y, math::select(x == T(0), T(0), product));
  }
};
const ElementwiseKernel<Xlogy, 2> xlogy_kernel("xlogy");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kXlogyDerivative = derivative(
    "XlogyBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
      return where(logical_and(self == 0, other <= 0), 0, grad * log(other));
    }),
    elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& other) {
      return where(logical_and(self == 0, other <= 0), 0, log_gradient(grad * self, other));
    }));

const RegisterOp xlogy_row(binary_spec<Xlogy>("xlogy", xlogy, xlogy_,
                                              {.other = {.low = 0.125, .high = 4.125},
                                               .number = xlogy}));

/// As an operand that does not widen the other.
Tensor xlogy_as_tensor(const Operation& op, Scalar number, const Tensor& other) {
  check_operand(op, other);
  return full({}, number, TensorOptions(floating_type(other.dtype())).device(other.device()));
}

}  // namespace

Tensor xlogy(const Tensor& self, const Tensor& other, At at) {
  return binary(xlogy_kernel, kXlogyDerivative, {"xlogy", at}, self, other);
}
Tensor xlogy(const Tensor& self, Scalar other, At at) {
  return xlogy(self, xlogy_as_tensor({"xlogy", at}, other, self), at);
}
Tensor xlogy(Scalar self, const Tensor& other, At at) {
  return xlogy(xlogy_as_tensor({"xlogy", at}, self, other), other, at);
}
Tensor& xlogy_(Tensor& self, const Tensor& other, At at) {
  return binary_(xlogy_kernel, kXlogyDerivative, {"xlogy_", at}, self, other);
}
Tensor& xlogy_(Tensor& self, Scalar other, At at) {
  return xlogy_(self, xlogy_as_tensor({"xlogy_", at}, other, self), at);
}

Tensor ElementwiseMembers::xlogy(const Tensor& other, At at) const {
  return notape::xlogy(self(), other, at);
}
Tensor ElementwiseMembers::xlogy(Scalar other, At at) const {
  return notape::xlogy(self(), other, at);
}
Tensor& ElementwiseMembers::xlogy_(const Tensor& other, At at) const {
  return notape::xlogy_(self(), other, at);
}
Tensor& ElementwiseMembers::xlogy_(Scalar other, At at) const {
  return notape::xlogy_(self(), other, at);
}
#endif

}  // namespace notape
