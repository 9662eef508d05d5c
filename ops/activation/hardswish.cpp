// hardswish(x) = x clamp(x + 3, 0, 6) / 6,  d/dx = 0 up to -3, 1 from 3 on, x / 3 + 1 / 2 between
#include "ops/activation/activation.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Hardswish {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T raised = math::max(x + T(3), T(0));
    const T y = x * math::min(raised, T(6)) / T(6);
    return x >= T(3) ? x : x <= T(-3) ? T(0) : y;  // also where the product overflows
  }
};
struct HardswishSlope {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T between = (T(2) * x + T(3)) / T(6);
    return x >= T(3) ? T(1) : x <= T(-3) ? T(0) : between;
  }
};
const ElementwiseKernel<Hardswish> hardswish_kernel("hardswish");
const ElementwiseKernel<HardswishSlope> hardswish_slope_kernel("hardswish.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kHardswishSlope = derivative(
    "HardswishBackwardBackward0", elementwise([](const Tensor& grad, const Input<0>& self) {
      return where(abs(self) < 3, grad / 3, 0);
    }));
constexpr FloatingOperator kHardswish(hardswish_kernel, "HardswishBackward0",
                                      elementwise([](const Tensor& grad, const Input<0>& self) {
                                        return grad * unary(hardswish_slope_kernel, kHardswishSlope,
                                                            {"hardswish_backward", At::current()},
                                                            self);
                                      }));

const RegisterOp hardswish_row(unary_spec<Hardswish>("hardswish", hardswish, hardswish_,
                                                     {.low = -5, .high = 5, .kinks = {-3, 3}}));
const RegisterAccuracy hardswish_accuracy({.row = "hardswish",
                                           .value = 2,
                                           .reason = "rounds a sum, a product and a quotient"});

}  // namespace

Tensor hardswish(const Tensor& self, At at) { return kHardswish({"hardswish", at}, self); }
Tensor& hardswish_(Tensor& self, At at) { return kHardswish.in_place({"hardswish_", at}, self); }
#endif

}  // namespace notape
