// log2(x),  d/dx = 1 / (x log(2)); both are NaN for x < 0, as log and its derivative are
#include "ops/core/log2_exp2.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"
#ifndef __CUDACC__
#include "ops/elementwise/log_gradient.h"
#endif

namespace notape {
namespace {

struct Log2 {
  using Loop = WideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::log2(x);
  }
  static float of_float(float x) { return log_of_float(x, 1); }
};
const ElementwiseKernel<Log2> log2_kernel("log2");

}  // namespace

#ifndef __CUDACC__
constexpr double kLog2LogOfBase = 0.693147180559945309417;
constexpr UnaryOperator kLog2(log2_kernel, "Log2Backward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return log_gradient(grad / kLog2LogOfBase, self);
                              }));

const RegisterOp log2_row(unary_spec<Log2>("log2", log2, log2_, {.low = 0.1, .high = 9},
                                           Domain{.low = kFarLow, .high = kFarHigh}));

Tensor log2(const Tensor& self, At at) { return kLog2({"log2", at}, self); }
Tensor& log2_(Tensor& self, At at) { return kLog2.in_place({"log2_", at}, self); }

Tensor ElementwiseMembers::log2(At at) const { return notape::log2(self(), at); }
Tensor& ElementwiseMembers::log2_(At at) const { return notape::log2_(self(), at); }
#endif

}  // namespace notape
