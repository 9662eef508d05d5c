// frac(x) = x - trunc(x),  d/dx = 1 everywhere
#include "ops/elementwise/operator.h"
#include "ops/elementwise/step.h"
#ifndef __CUDACC__
#include "ops/elementwise/check_floating.h"
#endif

namespace notape {
namespace {

struct Frac {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return x - math::trunc(x);
  }
};
const ElementwiseKernel<Frac> frac_kernel("frac");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr FloatingOperator kFrac(frac_kernel, "FracBackward0",
                                 elementwise([](const Tensor& grad) { return grad; }));

const RegisterOp frac_row(unary_spec<Frac>("frac", frac, frac_, steps(0)));

}  // namespace

Tensor frac(const Tensor& self, At at) { return kFrac({"frac", at}, self); }
Tensor& frac_(Tensor& self, At at) { return kFrac.in_place({"frac_", at}, self); }

Tensor ElementwiseMembers::frac(At at) const { return notape::frac(self(), at); }
Tensor& ElementwiseMembers::frac_(At at) const { return notape::frac_(self(), at); }
#endif

}  // namespace notape
