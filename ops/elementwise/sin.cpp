// sin(x),  d/dx = cos(x)
#include "ops/core/sine_of_float.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Sin {
  using Loop = BoundedWideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::sin(x);
  }
  static uint32_t size_of(float x) { return std::bit_cast<uint32_t>(std::fabs(x)); }
  static constexpr auto kMost = std::bit_cast<uint32_t>(kLargestForSine);
  static float of_float(float x) { return sine_of_float(x); }
};
const ElementwiseKernel<Sin> sin_kernel("sin");

}  // namespace

#ifndef __CUDACC__
constexpr auto kSinDerivative = derivative(
    "SinBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return grad * cos(self); }));

const RegisterOp sin_row(unary_spec<Sin>("sin", sin, sin_, {.low = -7, .high = 7},
                                         Domain{.low = -5000, .high = 5000}));
const RegisterAccuracy sin_accuracy(
    {.row = "sin", .value = 1.2, .reason = "rounds a float's distance from multiples of pi / 2"});

Tensor sin(const Tensor& self, At at) {
  return unary(sin_kernel, kSinDerivative, {"sin", at}, self);
}
Tensor& sin_(Tensor& self, At at) { return unary_(sin_kernel, kSinDerivative, {"sin_", at}, self); }

Tensor ElementwiseMembers::sin(At at) const { return notape::sin(self(), at); }
Tensor& ElementwiseMembers::sin_(At at) const { return notape::sin_(self(), at); }
#endif

}  // namespace notape
