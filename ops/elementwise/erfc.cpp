// erfc(x) = 1 - erf(x),  d/dx = -2 / sqrt(pi) e^(-x^2)
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#include "ops/spec/accuracy.h"
#ifndef __CUDACC__
#include "ops/elementwise/erf_slope.h"
#endif

namespace notape {
namespace {

const ElementwiseKernel<functor::erfc> erfc_kernel("erfc");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kErfc(erfc_kernel, "ErfcBackward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return -grad * erf_slope(self);
                              }));

const RegisterOp erfc_row(unary_spec<functor::erfc>("erfc", erfc, erfc_, {.low = -3, .high = 3},
                                                    Domain{.low = -9, .high = 9}));
const RegisterAccuracy erfc_accuracy({.row = "erfc",
                                      .second = 16,
                                      .reason = "multiplies x by a slope that may be subnormal"});

Tensor erfc(const Tensor& self, At at) { return kErfc({"erfc", at}, self); }
Tensor& erfc_(Tensor& self, At at) { return kErfc.in_place({"erfc_", at}, self); }

Tensor ElementwiseMembers::erfc(At at) const { return notape::erfc(self(), at); }
Tensor& ElementwiseMembers::erfc_(At at) const { return notape::erfc_(self(), at); }
#endif

}  // namespace notape
