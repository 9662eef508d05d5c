// exp(x) = e^x,  d/dx = e^x
#include "ops/core/exp_of_float.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"

namespace notape {
namespace {

struct Exp {
  using Loop = BoundedWideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::exp(x);
  }
  static uint32_t size_of(float x) { return std::bit_cast<uint32_t>(std::fabs(x)); }
  static constexpr auto kMost = std::bit_cast<uint32_t>(kUsualExponent);
  static float of_float(float x) { return exp_of_usual(x); }
  static float of_any(float x) { return exp_of_float(x); }
};
const ElementwiseKernel<Exp> exp_kernel("exp");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kExp(exp_kernel, "ExpBackward0",
                             elementwise([](const Tensor& grad, const Output& result) {
                               return grad * result;
                             }));

const RegisterOp exp_row(unary_spec<Exp>("exp", exp, exp_, {.low = -4, .high = 4},
                                         Domain{.low = -85, .high = 60}));

Tensor exp(const Tensor& self, At at) { return kExp({"exp", at}, self); }
Tensor& exp_(Tensor& self, At at) { return kExp.in_place({"exp_", at}, self); }

Tensor ElementwiseMembers::exp(At at) const { return notape::exp(self(), at); }
Tensor& ElementwiseMembers::exp_(At at) const { return notape::exp_(self(), at); }
#endif

}  // namespace notape
