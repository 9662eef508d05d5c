// square(x) = x * x,  d/dx = 2 x;  sqrt(x) = x^(1/2),  d/dx = 1 / (2 sqrt(x)): +inf at 0;
// rsqrt(x) = x^(-1/2),  d/dx = -rsqrt(x)^3 / 2;  reciprocal(x) = 1 / x,  d/dx = -1 / x^2
#include "ops/elementwise/operator.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

struct Square {
  static constexpr TypeSet types = kNumberTypes;
  static constexpr bool wraps = true;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return static_cast<T>(static_cast<Wrapping<T>>(x) * x);
  }
};
const ElementwiseKernel<Square> square_kernel("square");

struct Sqrt {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return math::sqrt(x);
  }
};
const ElementwiseKernel<Sqrt> sqrt_kernel("sqrt");

struct Rsqrt {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return T(1) / math::sqrt(x);
  }
};
const ElementwiseKernel<Rsqrt> rsqrt_kernel("rsqrt");

struct Reciprocal {
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return T(1) / x;
  }
};
const ElementwiseKernel<Reciprocal> reciprocal_kernel("reciprocal");

}  // namespace

#ifndef __CUDACC__
constexpr auto kSquareDerivative = derivative(
    "SquareBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self) { return grad * self * 2; }));

const RegisterOp square_row(unary_spec<Square>("square", square, square_, {.low = -3, .high = 3},
                                               Domain{.low = -kFarHigh, .high = kFarHigh}));

Tensor square(const Tensor& self, At at) {
  return unary_number(square_kernel, kSquareDerivative, {"square", at}, self, 2,
                      {});  // bools become integers
}
Tensor& square_(Tensor& self, At at) {
  return unary_number_(square_kernel, kSquareDerivative, {"square_", at}, self, 2, {});
}

Tensor ElementwiseMembers::square(At at) const { return notape::square(self(), at); }
Tensor& ElementwiseMembers::square_(At at) const { return notape::square_(self(), at); }

constexpr UnaryOperator kSqrt(sqrt_kernel, "SqrtBackward0",
                              elementwise([](const Tensor& grad, const Output& result) {
                                return grad / (result * 2);
                              }));

const RegisterOp sqrt_row(unary_spec<Sqrt>("sqrt", sqrt, sqrt_, {.low = 0.1, .high = 9},
                                           Domain{.low = kFarLow, .high = kFarHigh}));

Tensor sqrt(const Tensor& self, At at) { return kSqrt({"sqrt", at}, self); }
Tensor& sqrt_(Tensor& self, At at) { return kSqrt.in_place({"sqrt_", at}, self); }

Tensor ElementwiseMembers::sqrt(At at) const { return notape::sqrt(self(), at); }
Tensor& ElementwiseMembers::sqrt_(At at) const { return notape::sqrt_(self(), at); }

constexpr UnaryOperator kRsqrt(rsqrt_kernel, "RsqrtBackward0",
                               elementwise([](const Tensor& grad, const Output& result) {
                                 // The cube alone may be out of range.
                                 return grad * (square(result) * (result * -0.5));
                               }));

const RegisterOp rsqrt_row(unary_spec<Rsqrt>("rsqrt", rsqrt, rsqrt_, {.low = 0.1, .high = 9},
                                             Domain{.low = 0x1p-24, .high = kFarHigh}));
const RegisterAccuracy rsqrt_accuracy(
    {.row = "rsqrt",
     .value = 1.5,
     .slope = 5.5,
     .second = 10,
     .reason = "rounds a root and its reciprocal, and its slope is the cube of what it saves"});

Tensor rsqrt(const Tensor& self, At at) { return kRsqrt({"rsqrt", at}, self); }
Tensor& rsqrt_(Tensor& self, At at) { return kRsqrt.in_place({"rsqrt_", at}, self); }

Tensor ElementwiseMembers::rsqrt(At at) const { return notape::rsqrt(self(), at); }
Tensor& ElementwiseMembers::rsqrt_(At at) const { return notape::rsqrt_(self(), at); }

constexpr UnaryOperator kReciprocal(reciprocal_kernel, "ReciprocalBackward0",
                                    elementwise([](const Tensor& grad, const Output& result) {
                                      return -(grad * square(result));
                                    }));

const RegisterOp reciprocal_row(unary_spec<Reciprocal>("reciprocal", reciprocal, reciprocal_,
                                                       {.low = 0.2, .high = 4},
                                                       Domain{.low = 0x1p-24, .high = kFarHigh}));

Tensor reciprocal(const Tensor& self, At at) { return kReciprocal({"reciprocal", at}, self); }
Tensor& reciprocal_(Tensor& self, At at) { return kReciprocal.in_place({"reciprocal_", at}, self); }

Tensor ElementwiseMembers::reciprocal(At at) const { return notape::reciprocal(self(), at); }
Tensor& ElementwiseMembers::reciprocal_(At at) const { return notape::reciprocal_(self(), at); }
#endif

}  // namespace notape
