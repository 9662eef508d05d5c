// log(x), natural,  d/dx = 1 / x
#include "ops/elementwise/kernel.h"
#include "ops/elementwise/vector_loop.h"

namespace notape {
namespace {

struct Log {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::log(x);
  }
};
const ElementwiseKernel<Log> kernel("log");

}  // namespace
}  // namespace notape

#ifndef __CUDACC__
#include "ops/elementwise.h"
#include "ops/elementwise/elementwise.h"
#include "ops/spec/elementwise_spec.h"

namespace notape {
namespace {

constexpr auto kDerivative =
    derivative("LogBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self) { return grad / self; }));

const RegisterOp row(unary_spec<Log>("log", log, log_, {.low = 0.1, .high = 9}));

}  // namespace

Tensor log(const Tensor& self, At at) { return unary(kernel, kDerivative, {"log", at}, self); }
Tensor& log_(Tensor& self, At at) { return unary_(kernel, kDerivative, {"log_", at}, self); }

Tensor TensorOperators::log(At at) const { return notape::log(self(), at); }
Tensor& TensorOperators::log_(At at) const { return notape::log_(self(), at); }

}  // namespace notape
#endif
