// Arithmetic of tensors: sums, products, powers, remainders, and the C++ operators. What holds for
// all elementwise operators stands in ops/elementwise.h.
#pragma once
#include <optional>
#include <string_view>

#include "ops/at.h"

namespace notape {

/// -x,  d/dx = -1. Integers stay integers; bool: DtypeError.
Tensor neg(const Tensor& self, At at = At::current());
Tensor& neg_(Tensor& self, At at = At::current());
/// |x|,  d/dx = sign(x): 0 at 0. Integers stay integers; bool: DtypeError.
Tensor abs(const Tensor& self, At at = At::current());
Tensor& abs_(Tensor& self, At at = At::current());
/// -1, 0 or 1 in self's dtype (NaN: 0),  d/dx = 0 everywhere, also at the jump.
Tensor sign(const Tensor& self, At at = At::current());
Tensor& sign_(Tensor& self, At at = At::current());
/// x^(1/2),  d/dx = 1 / (2 sqrt(x)): inf at 0. NaN below 0.
Tensor sqrt(const Tensor& self, At at = At::current());
Tensor& sqrt_(Tensor& self, At at = At::current());
/// 1 / sqrt(x),  d/dx = -rsqrt(x)^3 / 2: -inf at 0. NaN below 0.
Tensor rsqrt(const Tensor& self, At at = At::current());
Tensor& rsqrt_(Tensor& self, At at = At::current());
/// 1 / x,  d/dx = -1 / x^2
Tensor reciprocal(const Tensor& self, At at = At::current());
Tensor& reciprocal_(Tensor& self, At at = At::current());
/// x * x,  d/dx = 2 x. Integers stay integers, bools become int64.
Tensor square(const Tensor& self, At at = At::current());
Tensor& square_(Tensor& self, At at = At::current());
/// self + alpha other,  d/dself = 1,  d/dother = alpha. bool + bool is "or". Throws DtypeError for
/// a floating alpha of integers and for a bool one of numbers.
Tensor add(const Tensor& self, const Tensor& other, Scalar alpha = 1, At at = At::current());
Tensor add(const Tensor& self, Scalar other, Scalar alpha = 1, At at = At::current());
Tensor& add_(Tensor& self, const Tensor& other, Scalar alpha = 1, At at = At::current());
Tensor& add_(Tensor& self, Scalar other, Scalar alpha = 1, At at = At::current());
/// self - alpha other,  d/dself = 1,  d/dother = -alpha. bool: DtypeError. alpha as for add.
Tensor sub(const Tensor& self, const Tensor& other, Scalar alpha = 1, At at = At::current());
Tensor sub(const Tensor& self, Scalar other, Scalar alpha = 1, At at = At::current());
Tensor& sub_(Tensor& self, const Tensor& other, Scalar alpha = 1, At at = At::current());
Tensor& sub_(Tensor& self, Scalar other, Scalar alpha = 1, At at = At::current());
/// other - self, for a number,  d/dself = -1. bool: DtypeError. Not a member.
Tensor rsub(const Tensor& self, Scalar other, At at = At::current());
/// sub with the operands exchanged: other - alpha self.
Tensor rsub(const Tensor& self, Scalar other, Scalar alpha, At at = At::current());
Tensor rsub(const Tensor& self, const Tensor& other, Scalar alpha = 1, At at = At::current());
/// self other,  d/dself = other,  d/dother = self. bool * bool is "and".
Tensor mul(const Tensor& self, const Tensor& other, At at = At::current());
Tensor mul(const Tensor& self, Scalar other, At at = At::current());
Tensor& mul_(Tensor& self, const Tensor& other, At at = At::current());
Tensor& mul_(Tensor& self, Scalar other, At at = At::current());
/// self / other,  d/dself = 1 / other,  d/dother = -self / other^2. True division: integers give
/// float32, and x / 0 is infinite or NaN.
Tensor div(const Tensor& self, const Tensor& other, At at = At::current());
Tensor div(const Tensor& self, Scalar other, At at = At::current());
Tensor& div_(Tensor& self, const Tensor& other, At at = At::current());
Tensor& div_(Tensor& self, Scalar other, At at = At::current());
/// The results written into `out`, converted to its dtype. It is resized to fit (a warning if it
/// had elements; AliasedInPlace if its storage is too small and shared). DtypeError if the result's
/// category is higher than out's. Not differentiable:
/// OutRequiresGrad in grad mode if any of the tensors requires grad. Not members.
Tensor& add_out(Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha = 1,
                At at = At::current());
Tensor& sub_out(Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha = 1,
                At at = At::current());
Tensor& mul_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
/// a^b for self a and exponent b,  d/da = b a^(b-1),  d/db = a^b log(a), and their limits where the
/// formula is 0 * inf: a^0 has derivative 0 everywhere; d/db of 0^b is 0 for b >= 0, else -inf; of
/// a negative base NaN. a^0.5 is sqrt(a) in every form (LibTorch: for a number b alone).
/// Integers to integers stay integers, a negative exponent in a tensor giving 0 (+-1: +-1) and as a
/// number ValueError; two bool tensors: DtypeError. From the 16th derivative by b on:
/// DerivativeNotImplemented.
Tensor pow(const Tensor& self, const Tensor& exponent, At at = At::current());
Tensor pow(const Tensor& self, Scalar exponent, At at = At::current());
Tensor pow(Scalar self, const Tensor& exponent, At at = At::current());
Tensor& pow_(Tensor& self, const Tensor& exponent, At at = At::current());
Tensor& pow_(Tensor& self, Scalar exponent, At at = At::current());
/// sqrt(self^2 + other^2) without overflow on the way;  d/dself = self / hypot, and 0 at the origin
/// (LibTorch: NaN). Floating dtypes only (DtypeError).
Tensor hypot(const Tensor& self, const Tensor& other, At at = At::current());
Tensor& hypot_(Tensor& self, const Tensor& other, At at = At::current());
/// What is left of self after whole multiples of other, with other's sign (remainder) or self's
/// (fmod);  d/dself = 1,  d/dother = -the multiple. Integers stay integers; of a zero other
/// (ValueError, as ZeroDivisionError; floating: NaN). bool: DtypeError.
Tensor remainder(const Tensor& self, const Tensor& other, At at = At::current());
Tensor remainder(const Tensor& self, Scalar other, At at = At::current());
Tensor remainder(Scalar self, const Tensor& other, At at = At::current());
Tensor& remainder_(Tensor& self, const Tensor& other, At at = At::current());
Tensor& remainder_(Tensor& self, Scalar other, At at = At::current());
Tensor fmod(const Tensor& self, const Tensor& other, At at = At::current());
Tensor fmod(const Tensor& self, Scalar other, At at = At::current());
Tensor& fmod_(Tensor& self, const Tensor& other, At at = At::current());
Tensor& fmod_(Tensor& self, Scalar other, At at = At::current());
/// |self| with the sign of other, of 0 and NaN, too;  d/dself = -1 or 1, and 0 where self is 0;
/// d/dother = 0. Integers give float32.
Tensor copysign(const Tensor& self, const Tensor& other, At at = At::current());
Tensor copysign(const Tensor& self, Scalar other, At at = At::current());
Tensor& copysign_(Tensor& self, const Tensor& other, At at = At::current());
Tensor& copysign_(Tensor& self, Scalar other, At at = At::current());
/// div rounded: rounding_mode "trunc" (toward 0) or "floor", of integers exactly and to integers
/// (ValueError for a zero other); d/d = 0. No mode is div itself; another one ValueError.
Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode,
           At at = At::current());
Tensor div(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode,
           At at = At::current());
Tensor& div_(Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode,
             At at = At::current());
Tensor& div_(Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode,
             At at = At::current());
Tensor floor_divide(const Tensor& self, const Tensor& other, At at = At::current());
Tensor floor_divide(const Tensor& self, Scalar other, At at = At::current());
Tensor& floor_divide_(Tensor& self, const Tensor& other, At at = At::current());
Tensor& floor_divide_(Tensor& self, Scalar other, At at = At::current());
/// start + weight (end - start), exact at weights 0 and 1;  d/dstart = 1 - weight,  d/dend =
/// weight, d/dweight = end - start. All of one floating dtype (DtypeError), but for a 0-d weight,
/// which promotes.
Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight, At at = At::current());
Tensor lerp(const Tensor& start, const Tensor& end, Scalar weight, At at = At::current());
Tensor& lerp_(Tensor& start, const Tensor& end, const Tensor& weight, At at = At::current());
Tensor& lerp_(Tensor& start, const Tensor& end, Scalar weight, At at = At::current());
/// self + value tensor1 tensor2, the last product and the sum rounded once;  d/dself = 1,
/// d/dtensor1 = value tensor2,  d/dtensor2 = value tensor1. value does not take part in promotion:
/// of integers its fraction is cut off. bool: DtypeError.
Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
               At at = At::current());
Tensor& addcmul_(Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                 At at = At::current());
/// self + value tensor1 / tensor2, true division;  d/dself = 1,  d/dtensor1 = value / tensor2,
/// d/dtensor2 = -value tensor1 / tensor2^2. Floating dtypes only (DtypeError), which tensor1 or
/// tensor2 may bring in.
Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
               At at = At::current());
Tensor& addcdiv_(Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                 At at = At::current());

// C++ operators: as the functions above, of which they bear the names in errors and in the graph.
// An Operand is a Tensor with the user's line. A number divided by a tensor is reciprocal times it.
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
Tensor operator%(Operand self, Operand other);  // remainder
Tensor operator%(Operand self, Scalar other);
Tensor operator%(Scalar self, Operand other);
Tensor operator~(Operand self);
Tensor operator&(Operand self, Operand other);
Tensor operator|(Operand self, Operand other);
Tensor operator^(Operand self, Operand other);
Tensor operator&(Operand self, Scalar other);
Tensor operator|(Operand self, Scalar other);
Tensor operator^(Operand self, Scalar other);
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
