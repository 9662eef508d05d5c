// Elementwise operators. Operands broadcast and promote as in LibTorch; a trailing underscore
// writes the result into the first argument. Every function is also a member of Tensor, except
// where it says otherwise. All throw UndefinedTensor, DeviceError, ShapeError, DtypeError,
// NoKernel.
#pragma once
#include "ops/at.h"

namespace notape {

// One operand. Integers and bools are computed as float32 where the result is not an integer.
Tensor neg(const Tensor& self, At at = At::current());
Tensor& neg_(Tensor& self, At at = At::current());
/// Derivative at 0: 0.
Tensor abs(const Tensor& self, At at = At::current());
Tensor& abs_(Tensor& self, At at = At::current());
/// -1, 0 or 1; its gradient is zero.
Tensor sign(const Tensor& self, At at = At::current());
Tensor sqrt(const Tensor& self, At at = At::current());
Tensor& sqrt_(Tensor& self, At at = At::current());
/// 1 / sqrt(x)
Tensor rsqrt(const Tensor& self, At at = At::current());
Tensor& rsqrt_(Tensor& self, At at = At::current());
Tensor reciprocal(const Tensor& self, At at = At::current());
Tensor& reciprocal_(Tensor& self, At at = At::current());
Tensor exp(const Tensor& self, At at = At::current());
Tensor& exp_(Tensor& self, At at = At::current());
Tensor log(const Tensor& self, At at = At::current());
Tensor& log_(Tensor& self, At at = At::current());
/// log(1 + x), accurate near 0
Tensor log1p(const Tensor& self, At at = At::current());
Tensor& log1p_(Tensor& self, At at = At::current());
Tensor sin(const Tensor& self, At at = At::current());
Tensor& sin_(Tensor& self, At at = At::current());
Tensor cos(const Tensor& self, At at = At::current());
Tensor& cos_(Tensor& self, At at = At::current());
Tensor tanh(const Tensor& self, At at = At::current());
Tensor& tanh_(Tensor& self, At at = At::current());
/// 1 / (1 + e^-x)
Tensor sigmoid(const Tensor& self, At at = At::current());
Tensor& sigmoid_(Tensor& self, At at = At::current());
/// max(x, 0); derivative at 0: 0.
Tensor relu(const Tensor& self, At at = At::current());
Tensor& relu_(Tensor& self, At at = At::current());
/// log(1 + e^(beta x)) / beta, and x itself where beta x > threshold. Not a member.
Tensor softplus(const Tensor& self, Scalar beta = 1, Scalar threshold = 20, At at = At::current());
Tensor erf(const Tensor& self, At at = At::current());
Tensor& erf_(Tensor& self, At at = At::current());
Tensor square(const Tensor& self, At at = At::current());
Tensor& square_(Tensor& self, At at = At::current());
/// Each element limited to [min, max]; derivative at a bound: 0 (LibTorch: 1).
Tensor clamp(const Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
             At at = At::current());
Tensor& clamp_(Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
               At at = At::current());
Tensor clamp_min(const Tensor& self, Scalar min, At at = At::current());
Tensor clamp_max(const Tensor& self, Scalar max, At at = At::current());

// Two operands
/// self + alpha * other
Tensor add(const Tensor& self, const Tensor& other, Scalar alpha = 1, At at = At::current());
Tensor add(const Tensor& self, Scalar other, Scalar alpha = 1, At at = At::current());
Tensor& add_(Tensor& self, const Tensor& other, Scalar alpha = 1, At at = At::current());
Tensor& add_(Tensor& self, Scalar other, Scalar alpha = 1, At at = At::current());
/// self - alpha * other
Tensor sub(const Tensor& self, const Tensor& other, Scalar alpha = 1, At at = At::current());
Tensor sub(const Tensor& self, Scalar other, Scalar alpha = 1, At at = At::current());
Tensor& sub_(Tensor& self, const Tensor& other, Scalar alpha = 1, At at = At::current());
Tensor& sub_(Tensor& self, Scalar other, Scalar alpha = 1, At at = At::current());
/// other - self, for a number. Not a member.
Tensor rsub(const Tensor& self, Scalar other, At at = At::current());
Tensor mul(const Tensor& self, const Tensor& other, At at = At::current());
Tensor mul(const Tensor& self, Scalar other, At at = At::current());
Tensor& mul_(Tensor& self, const Tensor& other, At at = At::current());
Tensor& mul_(Tensor& self, Scalar other, At at = At::current());
/// True division: integers give float32.
Tensor div(const Tensor& self, const Tensor& other, At at = At::current());
Tensor div(const Tensor& self, Scalar other, At at = At::current());
Tensor& div_(Tensor& self, const Tensor& other, At at = At::current());
Tensor& div_(Tensor& self, Scalar other, At at = At::current());
/// The results written into `out`, resized to fit. Not differentiable: OutRequiresGrad in grad mode
/// if any of the tensors requires grad.
Tensor& add_out(Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha = 1,
                At at = At::current());
Tensor& sub_out(Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha = 1,
                At at = At::current());
Tensor& mul_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
/// self ^ exponent. x^0 has derivative 0 everywhere; d/d exponent of 0^b: 0 for b >= 0, else -inf.
Tensor pow(const Tensor& self, const Tensor& exponent, At at = At::current());
Tensor pow(const Tensor& self, Scalar exponent, At at = At::current());
Tensor pow(Scalar self, const Tensor& exponent, At at = At::current());
Tensor& pow_(Tensor& self, const Tensor& exponent, At at = At::current());
Tensor& pow_(Tensor& self, Scalar exponent, At at = At::current());
/// NaN wins. At a tie each active operand gets half; against a constant that is flat there, 0.
Tensor maximum(const Tensor& self, const Tensor& other, At at = At::current());
Tensor minimum(const Tensor& self, const Tensor& other, At at = At::current());

// Three operands
/// self where the bool condition holds, else other. An unselected element contributes exactly 0 to
/// the gradient.
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other,
             At at = At::current());
Tensor where(const Tensor& condition, const Tensor& self, Scalar other, At at = At::current());
Tensor where(const Tensor& condition, Scalar self, const Tensor& other, At at = At::current());
/// start + weight * (end - start)
Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight, At at = At::current());
Tensor lerp(const Tensor& start, const Tensor& end, Scalar weight, At at = At::current());
Tensor& lerp_(Tensor& start, const Tensor& end, const Tensor& weight, At at = At::current());
Tensor& lerp_(Tensor& start, const Tensor& end, Scalar weight, At at = At::current());
/// self + value * tensor1 * tensor2
Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
               At at = At::current());
Tensor& addcmul_(Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                 At at = At::current());
/// self with `value` where the bool mask (broadcast to self) holds.
Tensor masked_fill(const Tensor& self, const Tensor& mask, Scalar value, At at = At::current());
Tensor& masked_fill_(Tensor& self, const Tensor& mask, Scalar value, At at = At::current());

// Comparisons: bool results, no derivative.
Tensor eq(const Tensor& self, const Tensor& other, At at = At::current());
Tensor ne(const Tensor& self, const Tensor& other, At at = At::current());
Tensor lt(const Tensor& self, const Tensor& other, At at = At::current());
Tensor le(const Tensor& self, const Tensor& other, At at = At::current());
Tensor gt(const Tensor& self, const Tensor& other, At at = At::current());
Tensor ge(const Tensor& self, const Tensor& other, At at = At::current());
Tensor eq(const Tensor& self, Scalar other, At at = At::current());
Tensor ne(const Tensor& self, Scalar other, At at = At::current());
Tensor lt(const Tensor& self, Scalar other, At at = At::current());
Tensor le(const Tensor& self, Scalar other, At at = At::current());
Tensor gt(const Tensor& self, Scalar other, At at = At::current());
Tensor ge(const Tensor& self, Scalar other, At at = At::current());
/// not x, for any dtype, as bool. Not a member.
Tensor logical_not(const Tensor& self, At at = At::current());
/// Same shape and equal values. Only a bool: no graph.
bool equal(const Tensor& self, const Tensor& other, At at = At::current());
/// |self - other| <= atol + rtol * |other| everywhere. Only a bool: no graph.
bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false, At at = At::current());

// C++ operators
Tensor operator-(Operand self);
Tensor operator+(Operand self, Operand other);
Tensor operator-(Operand self, Operand other);
Tensor operator*(Operand self, Operand other);
Tensor operator/(Operand self, Operand other);
Tensor operator+(Operand self, Scalar other);
Tensor operator-(Operand self, Scalar other);
Tensor operator*(Operand self, Scalar other);
Tensor operator/(Operand self, Scalar other);
Tensor operator+(Scalar self, Operand other);
Tensor operator-(Scalar self, Operand other);
Tensor operator*(Scalar self, Operand other);
Tensor operator/(Scalar self, Operand other);
Tensor operator==(Operand self, Operand other);
Tensor operator!=(Operand self, Operand other);
Tensor operator<(Operand self, Operand other);
Tensor operator<=(Operand self, Operand other);
Tensor operator>(Operand self, Operand other);
Tensor operator>=(Operand self, Operand other);
Tensor operator==(Operand self, Scalar other);
Tensor operator!=(Operand self, Scalar other);
Tensor operator<(Operand self, Scalar other);
Tensor operator<=(Operand self, Scalar other);
Tensor operator>(Operand self, Scalar other);
Tensor operator>=(Operand self, Scalar other);

}  // namespace notape
