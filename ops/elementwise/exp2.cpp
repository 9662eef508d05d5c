// exp2(x) = 2^x,  dy/dx = log(2) 2^x, which is less: where the value is infinite it may not be
#include "ops/elementwise/constant.h"
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"

namespace notape {
namespace {

/// factor 2^x. A far x is brought nearer by 64, so that 2^x is a normal number before the product.
struct Exp2Times {
  using Loop = VectorLoop;
  Number factor;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T back = math::select(x > T(120), T(64), math::select(x < T(-120), T(-64), T(0)));
    const T scale = math::select(x > T(120), constant<T>(0x1p64),
                                 math::select(x < T(-120), constant<T>(0x1p-64), T(1)));
    return math::exp2(x - back) * factor.as<T>() * scale;
  }
};
const ElementwiseKernel<functor::exp2> exp2_kernel("exp2");
const ElementwiseKernel<Exp2Times> exp2_slope_kernel("exp2.slope");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor exp2_slope(const Tensor& self, double of);

constexpr auto kExp2Slope =
    derivative("Exp2BackwardBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Exp2Times& f) {
                 return grad * exp2_slope(self, f.factor.real);
               }));
constexpr UnaryOperator kExp2(exp2_kernel, "Exp2Backward0",
                              elementwise([](const Tensor& grad, const Input<0>& self) {
                                return grad * exp2_slope(self, 1);
                              }));

/// The derivative of `of` 2^x.
Tensor exp2_slope(const Tensor& self, double of) {
  constexpr double kLog2 = 0.693147180559945309417;
  const Exp2Times f{number(of * kLog2)};
  return unary(exp2_slope_kernel, kExp2Slope, {"exp2_backward", At::current()}, self, f, f);
}

}  // namespace

const RegisterOp exp2_row(unary_spec<functor::exp2>("exp2", exp2, exp2_, {.low = -4, .high = 4},
                                                    Domain{.low = -120, .high = 120}));

Tensor exp2(const Tensor& self, At at) { return kExp2({"exp2", at}, self); }
Tensor& exp2_(Tensor& self, At at) { return kExp2.in_place({"exp2_", at}, self); }

Tensor ElementwiseMembers::exp2(At at) const { return notape::exp2(self(), at); }
Tensor& ElementwiseMembers::exp2_(At at) const { return notape::exp2_(self(), at); }
#endif

}  // namespace notape
