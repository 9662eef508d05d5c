// cos(x),  d/dx = -sin(x)
#include "ops/core/sine_of_float.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Cos {
  using Loop = BoundedWideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::cos(x);
  }
  static uint32_t size_of(float x) { return std::bit_cast<uint32_t>(std::fabs(x)); }
  static constexpr auto kMost = std::bit_cast<uint32_t>(kLargestForSine);
  static float of_float(float x) { return cosine_of_float(x); }
};
const ElementwiseKernel<Cos> cos_kernel("cos");

}  // namespace

#ifndef __CUDACC__
constexpr auto kCosDerivative = derivative(
    "CosBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return -(grad * sin(self)); }));

const RegisterOp cos_row(unary_spec<Cos>("cos", cos, cos_, {.low = -7, .high = 7},
                                         Domain{.low = -5000, .high = 5000}));
const RegisterAccuracy cos_accuracy(
    {.row = "cos", .value = 1.2, .reason = "rounds a float's distance from multiples of pi / 2"});

Tensor cos(const Tensor& self, At at) {
  return unary(cos_kernel, kCosDerivative, {"cos", at}, self);
}
Tensor& cos_(Tensor& self, At at) { return unary_(cos_kernel, kCosDerivative, {"cos_", at}, self); }

Tensor ElementwiseMembers::cos(At at) const { return notape::cos(self(), at); }
Tensor& ElementwiseMembers::cos_(At at) const { return notape::cos_(self(), at); }
#endif

}  // namespace notape
