// log10(x),  d/dx = 1 / (x log(10)); both are NaN for x < 0, as log and its derivative are
#include "ops/core/log2_exp2.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"
#ifndef __CUDACC__
#include "ops/elementwise/log_gradient.h"
#endif

namespace notape {
namespace {

struct Log10 {
  using Loop = WideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::log10(x);
  }
  static float of_float(float x) { return log_of_float(x, 0.301029995663981195214); }
};
const ElementwiseKernel<Log10> log10_kernel("log10");

}  // namespace

#ifndef __CUDACC__
constexpr double kLog10LogOfBase = 2.30258509299404568402;
constexpr UnaryOperator kLog10(log10_kernel, "Log10Backward0",
                               elementwise([](const Tensor& grad, const Input<0>& self) {
                                 return log_gradient(grad / kLog10LogOfBase, self);
                               }));

const RegisterOp log10_row(unary_spec<Log10>("log10", log10, log10_, {.low = 0.1, .high = 9},
                                             Domain{.low = kFarLow, .high = kFarHigh}));

Tensor log10(const Tensor& self, At at) { return kLog10({"log10", at}, self); }
Tensor& log10_(Tensor& self, At at) { return kLog10.in_place({"log10_", at}, self); }

Tensor ElementwiseMembers::log10(At at) const { return notape::log10(self(), at); }
Tensor& ElementwiseMembers::log10_(At at) const { return notape::log10_(self(), at); }
#endif

}  // namespace notape
