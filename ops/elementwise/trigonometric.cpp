// sin(x),  d/dx = cos(x);  cos(x),  d/dx = -sin(x);  tan(x) = y,  dy/dx = 1 + y^2
#include "ops/core/sine_of_float.h"
#include "ops/elementwise/math_functors.h"
#include "ops/elementwise/operator.h"
#include "ops/elementwise/wide_loop.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

/// Floats of a size for which there is a formula without a call.
struct OfUsualAngles {
  using Loop = BoundedWideLoop;
  static uint32_t size_of(float x) { return std::bit_cast<uint32_t>(std::fabs(x)); }
  static constexpr auto kMost = std::bit_cast<uint32_t>(kLargestForSine);
};
struct Sin : OfUsualAngles {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::sin(x);
  }
  static float of_float(float x) { return sine_of_float(x); }
};
const ElementwiseKernel<Sin> sin_kernel("sin");
struct Cos : OfUsualAngles {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::cos(x);
  }
  static float of_float(float x) { return cosine_of_float(x); }
};
const ElementwiseKernel<Cos> cos_kernel("cos");
const ElementwiseKernel<functor::tan> tan_kernel("tan");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kSin(sin_kernel, "SinBackward0",
                             elementwise([](const Tensor& grad, const Input<0>& self) {
                               return grad * cos(self);
                             }));

const RegisterOp sin_row(unary_spec<Sin>("sin", sin, sin_, {.low = -7, .high = 7},
                                         Domain{.low = -5000, .high = 5000}));
constexpr const char* kAnglesReason = "rounds a float's distance from multiples of pi / 2";
const RegisterAccuracy sin_accuracy({.row = "sin", .value = 1.2, .reason = kAnglesReason});
const RegisterAccuracy cos_accuracy({.row = "cos", .value = 1.2, .reason = kAnglesReason});

Tensor sin(const Tensor& self, At at) { return kSin({"sin", at}, self); }
Tensor& sin_(Tensor& self, At at) { return kSin.in_place({"sin_", at}, self); }

Tensor ElementwiseMembers::sin(At at) const { return notape::sin(self(), at); }
Tensor& ElementwiseMembers::sin_(At at) const { return notape::sin_(self(), at); }

constexpr UnaryOperator kCos(cos_kernel, "CosBackward0",
                             elementwise([](const Tensor& grad, const Input<0>& self) {
                               return -(grad * sin(self));
                             }));

const RegisterOp cos_row(unary_spec<Cos>("cos", cos, cos_, {.low = -7, .high = 7},
                                         Domain{.low = -5000, .high = 5000}));

Tensor cos(const Tensor& self, At at) { return kCos({"cos", at}, self); }
Tensor& cos_(Tensor& self, At at) { return kCos.in_place({"cos_", at}, self); }

Tensor ElementwiseMembers::cos(At at) const { return notape::cos(self(), at); }
Tensor& ElementwiseMembers::cos_(At at) const { return notape::cos_(self(), at); }

constexpr UnaryOperator kTan(tan_kernel, "TanBackward0",
                             elementwise([](const Tensor& grad, const Output& result) {
                               return grad * (square(result) + 1);
                             }));

const RegisterOp tan_row(unary_spec<functor::tan>("tan", tan, tan_, {.low = -1.4, .high = 1.4},
                                                  Domain{.low = 1.8, .high = 4.5}));

Tensor tan(const Tensor& self, At at) { return kTan({"tan", at}, self); }
Tensor& tan_(Tensor& self, At at) { return kTan.in_place({"tan_", at}, self); }

Tensor ElementwiseMembers::tan(At at) const { return notape::tan(self(), at); }
Tensor& ElementwiseMembers::tan_(At at) const { return notape::tan_(self(), at); }
#endif

}  // namespace notape
