// Elementwise operators: y[i] = f(a[i], b[i], ...). Every function is also a member of Tensor,
// except where it says otherwise.
//
// Shapes: operands broadcast, and the result has the broadcast shape (ShapeError if there is none);
// each gradient is summed back to its operand's shape.
// Dtypes: operands promote as in LibTorch. Tensors with dimensions decide; 0-d ones and numbers
// count only if their category (bool < integer < floating) is higher. A float function of integers
// or bools gives float32.
// In place: a trailing underscore writes the result into the first argument, whose shape and dtype
// stay: ShapeError, or DtypeError if the result's category is higher. Writes also throw what every
// write does (LeafInPlace, MemoryOverlap and others: autograd/SEMANTICS.md, "Error catalogue").
// Numbers: arithmetic in integers refuses one beyond their range (ValueError; LibTorch's wraps),
// but uint8 takes -1 to -255; where a number is stored (where, masked_fill, lerp, a factor of add
// or addcmul) floating types refuse one, too, that would become infinite. What integers are
// computed to wraps around, and floating arithmetic has infinities. All throw UndefinedTensor;
// DeviceError for operands on two devices (0-d CPU tensors go anywhere); NoKernel where the device
// has no implementation. Derivatives at kinks and ties are the subgradient of least norm; `notape
// verify atlas` has all.
#pragma once
#include <optional>
#include <string_view>

#include "ops/at.h"
#include "ops/comparison.h"

namespace notape {

// One operand
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
/// e^x,  d/dx = e^x
Tensor exp(const Tensor& self, At at = At::current());
Tensor& exp_(Tensor& self, At at = At::current());
/// Natural logarithm,  d/dx = 1 / x: inf at 0. Below 0 value and derivative are NaN (LibTorch's
/// derivative there: 1 / x).
Tensor log(const Tensor& self, At at = At::current());
Tensor& log_(Tensor& self, At at = At::current());
/// log(1 + x), accurate near 0,  d/dx = 1 / (1 + x). Below -1 both are NaN, as for log.
Tensor log1p(const Tensor& self, At at = At::current());
Tensor& log1p_(Tensor& self, At at = At::current());
/// sin(x), x in radians,  d/dx = cos(x)
Tensor sin(const Tensor& self, At at = At::current());
Tensor& sin_(Tensor& self, At at = At::current());
/// cos(x), x in radians,  d/dx = -sin(x)
Tensor cos(const Tensor& self, At at = At::current());
Tensor& cos_(Tensor& self, At at = At::current());
/// y = tanh(x),  dy/dx = (1 - y) (1 + y). Saves y alone, so x may be overwritten, and the
/// derivative is 0 where y rounds to 1.
Tensor tanh(const Tensor& self, At at = At::current());
Tensor& tanh_(Tensor& self, At at = At::current());
/// y = 1 / (1 + e^-x),  dy/dx = y (1 - y). Saves y alone, as tanh does.
Tensor sigmoid(const Tensor& self, At at = At::current());
Tensor& sigmoid_(Tensor& self, At at = At::current());
/// max(x, 0),  d/dx = 1 where the result is positive or NaN, else 0: 0 at 0. Integers stay
/// integers; bool: DtypeError.
Tensor relu(const Tensor& self, At at = At::current());
Tensor& relu_(Tensor& self, At at = At::current());
/// log(1 + e^(beta x)) / beta, and x itself where beta x > threshold;  d/dx = sigmoid(beta x), and
/// 1 there. Not a member. LibTorch refuses integers.
Tensor softplus(const Tensor& self, Scalar beta = 1, Scalar threshold = 20, At at = At::current());
/// 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x,  d/dx = 2 / sqrt(pi) e^(-x^2)
Tensor erf(const Tensor& self, At at = At::current());
Tensor& erf_(Tensor& self, At at = At::current());
/// e^x - 1, accurate near 0,  d/dx = e^x
Tensor expm1(const Tensor& self, At at = At::current());
Tensor& expm1_(Tensor& self, At at = At::current());
/// 2^x,  d/dx = log(2) 2^x
Tensor exp2(const Tensor& self, At at = At::current());
Tensor& exp2_(Tensor& self, At at = At::current());
/// Logarithms to base 2 and 10,  d/dx = 1 / (x log(base)): inf at 0. Below 0 both are NaN, as for
/// log.
Tensor log2(const Tensor& self, At at = At::current());
Tensor& log2_(Tensor& self, At at = At::current());
Tensor log10(const Tensor& self, At at = At::current());
Tensor& log10_(Tensor& self, At at = At::current());
/// tan(x), x in radians: y,  dy/dx = 1 + y^2
Tensor tan(const Tensor& self, At at = At::current());
Tensor& tan_(Tensor& self, At at = At::current());
/// The angle in [-pi/2, pi/2] with sine x,  d/dx = 1 / sqrt(1 - x^2): inf at -1 and 1. Outside them
/// NaN.
Tensor asin(const Tensor& self, At at = At::current());
Tensor& asin_(Tensor& self, At at = At::current());
/// The angle in [0, pi] with cosine x,  d/dx = -1 / sqrt(1 - x^2): -inf at -1 and 1. Outside NaN.
Tensor acos(const Tensor& self, At at = At::current());
Tensor& acos_(Tensor& self, At at = At::current());
/// The angle in (-pi/2, pi/2) with tangent x,  d/dx = 1 / (1 + x^2)
Tensor atan(const Tensor& self, At at = At::current());
Tensor& atan_(Tensor& self, At at = At::current());
/// (e^x - e^-x) / 2,  d/dx = cosh(x)
Tensor sinh(const Tensor& self, At at = At::current());
Tensor& sinh_(Tensor& self, At at = At::current());
/// (e^x + e^-x) / 2,  d/dx = sinh(x)
Tensor cosh(const Tensor& self, At at = At::current());
Tensor& cosh_(Tensor& self, At at = At::current());
/// The x with sinh(x) = self,  d/dself = 1 / sqrt(1 + self^2)
Tensor asinh(const Tensor& self, At at = At::current());
Tensor& asinh_(Tensor& self, At at = At::current());
/// The x >= 0 with cosh(x) = self,  d/dself = 1 / sqrt(self^2 - 1): inf at 1. Below 1 both are NaN
/// (LibTorch's derivative below -1 is a number).
Tensor acosh(const Tensor& self, At at = At::current());
Tensor& acosh_(Tensor& self, At at = At::current());
/// The x with tanh(x) = self,  d/dself = 1 / (1 - self^2): inf at -1 and 1. Outside them both are
/// NaN (LibTorch's derivative there is a number).
Tensor atanh(const Tensor& self, At at = At::current());
Tensor& atanh_(Tensor& self, At at = At::current());
/// 1 - erf(x), accurate where that is nearly 0,  d/dx = -2 / sqrt(pi) e^(-x^2)
Tensor erfc(const Tensor& self, At at = At::current());
Tensor& erfc_(Tensor& self, At at = At::current());
/// The x with erf(x) = self: inf at 1, NaN beyond,  d/dself = sqrt(pi) / 2 e^(x^2)
Tensor erfinv(const Tensor& self, At at = At::current());
Tensor& erfinv_(Tensor& self, At at = At::current());
/// The whole number next to x that is not larger (floor), not smaller (ceil), nearest with halves
/// to even (round), not farther from 0 (trunc),  d/dx = 0 everywhere, also at the jumps. Integers
/// stay as they are; bool: DtypeError.
Tensor floor(const Tensor& self, At at = At::current());
Tensor& floor_(Tensor& self, At at = At::current());
Tensor ceil(const Tensor& self, At at = At::current());
Tensor& ceil_(Tensor& self, At at = At::current());
Tensor round(const Tensor& self, At at = At::current());
Tensor& round_(Tensor& self, At at = At::current());
/// To as many decimal places, of which a negative number counts places before the point.
Tensor round(const Tensor& self, int64_t decimals, At at = At::current());
Tensor& round_(Tensor& self, int64_t decimals, At at = At::current());
Tensor trunc(const Tensor& self, At at = At::current());
Tensor& trunc_(Tensor& self, At at = At::current());
/// x - trunc(x),  d/dx = 1 everywhere. Floating dtypes only (DtypeError).
Tensor frac(const Tensor& self, At at = At::current());
Tensor& frac_(Tensor& self, At at = At::current());
/// log(x / (1 - x)),  d/dx = 1 / (x (1 - x)): inf at 0 and 1, and outside them both are NaN. With
/// eps x counts as clamp(x, eps, 1 - eps), and the derivative beyond these and at them is 0.
Tensor logit(const Tensor& self, std::optional<double> eps = {}, At at = At::current());
Tensor& logit_(Tensor& self, std::optional<double> eps = {}, At at = At::current());
/// NaN, inf and -inf replaced by nan, posinf and neginf, of which the last two are by default the
/// largest and smallest numbers of the type;  d/dx = 1, and 0 where replaced. Integers and bools
/// stay as they are.
Tensor nan_to_num(const Tensor& self, std::optional<double> nan = {},
                  std::optional<double> posinf = {}, std::optional<double> neginf = {},
                  At at = At::current());
Tensor& nan_to_num_(Tensor& self, std::optional<double> nan = {}, std::optional<double> posinf = {},
                    std::optional<double> neginf = {}, At at = At::current());
/// x * x,  d/dx = 2 x. Integers stay integers, bools become int64.
Tensor square(const Tensor& self, At at = At::current());
Tensor& square_(Tensor& self, At at = At::current());
/// min(max(x, min), max): with min > max all become max; NaN stays.  d/dx = 1 strictly inside, else
/// 0: also at a bound (LibTorch 1.13: 1; 2.15: 0). The bounds take part in promotion; one beyond
/// the range of self's integers bounds nothing. Throws ValueError if both are missing, or if a
/// bound demands integers that self's dtype has not.
Tensor clamp(const Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
             At at = At::current());
Tensor& clamp_(Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
               At at = At::current());
/// min(max(self, min), max) with a bound for each entry, broadcast and promoted; one of them may be
/// undefined (none, or both: ValueError).  d/d = 1 for what was chosen, shared evenly by ties.
Tensor clamp(const Tensor& self, const Tensor& min, const Tensor& max = {}, At at = At::current());
Tensor& clamp_(Tensor& self, const Tensor& min, const Tensor& max = {}, At at = At::current());
/// clamp with one bound.
Tensor clamp_min(const Tensor& self, Scalar min, At at = At::current());
Tensor clamp_min(const Tensor& self, const Tensor& min, At at = At::current());
Tensor& clamp_min_(Tensor& self, Scalar min, At at = At::current());
Tensor& clamp_min_(Tensor& self, const Tensor& min, At at = At::current());
Tensor clamp_max(const Tensor& self, Scalar max, At at = At::current());
Tensor clamp_max(const Tensor& self, const Tensor& max, At at = At::current());
Tensor& clamp_max_(Tensor& self, Scalar max, At at = At::current());
Tensor& clamp_max_(Tensor& self, const Tensor& max, At at = At::current());

// Two operands
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
/// The larger (smaller) of the two; NaN wins. The gradient goes to the winner; at a tie each gets
/// half if both want one, and none if the other is a constant (LibTorch: 1/2). Of NaNs: all to the
/// NaN, halves to two.
Tensor maximum(const Tensor& self, const Tensor& other, At at = At::current());
Tensor minimum(const Tensor& self, const Tensor& other, At at = At::current());
/// The angle in [-pi, pi] of the point (other, self), that is (x, y);  d/dself = x / (x^2 + y^2),
/// d/dother = -y / (x^2 + y^2), and both 0 at the origin. Integers give float32.
Tensor atan2(const Tensor& self, const Tensor& other, At at = At::current());
Tensor& atan2_(Tensor& self, const Tensor& other, At at = At::current());
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
/// As maximum and minimum, but a number wins against NaN. Not in place.
Tensor fmax(const Tensor& self, const Tensor& other, At at = At::current());
Tensor fmin(const Tensor& self, const Tensor& other, At at = At::current());
/// log(e^self + e^other) without overflow (logaddexp2: of base 2);  d/dself = the share of self in
/// the sum. Floating dtypes only (DtypeError).
Tensor logaddexp(const Tensor& self, const Tensor& other, At at = At::current());
Tensor logaddexp2(const Tensor& self, const Tensor& other, At at = At::current());
/// self log(other), and 0 where self is 0, unless other is NaN;  d/dself = log(other), 0 where self
/// is 0 and other <= 0;  d/dother = self / other. Integers give float32.
Tensor xlogy(const Tensor& self, const Tensor& other, At at = At::current());
Tensor xlogy(const Tensor& self, Scalar other, At at = At::current());
Tensor xlogy(Scalar self, const Tensor& other, At at = At::current());
Tensor& xlogy_(Tensor& self, const Tensor& other, At at = At::current());
Tensor& xlogy_(Tensor& self, Scalar other, At at = At::current());
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

// Three operands
/// self where the condition holds, else other; each has the gradient where it was selected and
/// exactly 0 elsewhere, whatever the derivatives there. The condition is bool (else DtypeError) and
/// broadcasts, too; a number takes part in promotion. As a member: x.where(condition, other).
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other,
             At at = At::current());
Tensor where(const Tensor& condition, const Tensor& self, Scalar other, At at = At::current());
Tensor where(const Tensor& condition, Scalar self, const Tensor& other, At at = At::current());
/// Of two numbers; the result has their dtype, as full() gives it.
Tensor where(const Tensor& condition, Scalar self, Scalar other, At at = At::current());
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
/// value where the mask holds, else self;  d/dself = 1 where it does not hold and exactly 0 where
/// it does. The mask is bool (else DtypeError); both broadcast, in place the mask to self. self's
/// dtype stays, and value is cut off to it.
Tensor masked_fill(const Tensor& self, const Tensor& mask, Scalar value, At at = At::current());
Tensor& masked_fill_(Tensor& self, const Tensor& mask, Scalar value, At at = At::current());
/// The same with a 0-d value (else ShapeError), converted to self's dtype;  d/dvalue sums the
/// gradient where the mask holds.
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value,
                   At at = At::current());
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value, At at = At::current());

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

/// clamp by its name in NumPy.
Tensor clip(const Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
            At at = At::current());
Tensor& clip_(Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
              At at = At::current());
Tensor clip(const Tensor& self, const Tensor& min, const Tensor& max = {}, At at = At::current());
Tensor& clip_(Tensor& self, const Tensor& min, const Tensor& max = {}, At at = At::current());

}  // namespace notape
