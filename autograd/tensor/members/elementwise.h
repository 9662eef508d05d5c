// The members of a Tensor that ops/elementwise/ defines: x.f() for f(x), x.f_() for f_(x). The
// formula, shapes, errors and derivative of each stand beside f in ops/elementwise.h.
#pragma once
#include <optional>
#include <string_view>

#include "autograd/integer.h"
#include "autograd/source_location.h"
#include "autograd/tensor/scalar.h"

namespace notape {

class Tensor;

class ElementwiseMembers {
  using At = SourceLocation;

 public:
  // Elementwise, one operand
  Tensor neg(At at = At::current()) const;
  Tensor& neg_(At at = At::current()) const;
  Tensor abs(At at = At::current()) const;
  Tensor& abs_(At at = At::current()) const;
  Tensor sqrt(At at = At::current()) const;
  Tensor& sqrt_(At at = At::current()) const;
  Tensor rsqrt(At at = At::current()) const;
  Tensor& rsqrt_(At at = At::current()) const;
  Tensor exp(At at = At::current()) const;
  Tensor& exp_(At at = At::current()) const;
  Tensor log(At at = At::current()) const;
  Tensor& log_(At at = At::current()) const;
  Tensor log1p(At at = At::current()) const;
  Tensor& log1p_(At at = At::current()) const;
  Tensor sin(At at = At::current()) const;
  Tensor& sin_(At at = At::current()) const;
  Tensor cos(At at = At::current()) const;
  Tensor& cos_(At at = At::current()) const;
  Tensor tanh(At at = At::current()) const;
  Tensor& tanh_(At at = At::current()) const;
  Tensor sigmoid(At at = At::current()) const;
  Tensor& sigmoid_(At at = At::current()) const;
  Tensor relu(At at = At::current()) const;
  Tensor& relu_(At at = At::current()) const;
  Tensor erf(At at = At::current()) const;
  Tensor& erf_(At at = At::current()) const;
  Tensor square(At at = At::current()) const;
  Tensor& square_(At at = At::current()) const;
  Tensor sign(At at = At::current()) const;
  Tensor& sign_(At at = At::current()) const;
  Tensor reciprocal(At at = At::current()) const;
  Tensor& reciprocal_(At at = At::current()) const;
  Tensor clamp(std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
               At at = At::current()) const;
  Tensor& clamp_(std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
                 At at = At::current()) const;
  Tensor clamp(const Tensor& min, const Tensor& max, At at = At::current()) const;
  Tensor& clamp_(const Tensor& min, const Tensor& max, At at = At::current()) const;
  Tensor clamp_min(Scalar min, At at = At::current()) const;
  Tensor clamp_min(const Tensor& min, At at = At::current()) const;
  Tensor& clamp_min_(Scalar min, At at = At::current()) const;
  Tensor& clamp_min_(const Tensor& min, At at = At::current()) const;
  Tensor clamp_max(Scalar max, At at = At::current()) const;
  Tensor clamp_max(const Tensor& max, At at = At::current()) const;
  Tensor& clamp_max_(Scalar max, At at = At::current()) const;
  Tensor& clamp_max_(const Tensor& max, At at = At::current()) const;
  Tensor expm1(At at = At::current()) const;
  Tensor& expm1_(At at = At::current()) const;
  Tensor exp2(At at = At::current()) const;
  Tensor& exp2_(At at = At::current()) const;
  Tensor log2(At at = At::current()) const;
  Tensor& log2_(At at = At::current()) const;
  Tensor log10(At at = At::current()) const;
  Tensor& log10_(At at = At::current()) const;
  Tensor tan(At at = At::current()) const;
  Tensor& tan_(At at = At::current()) const;
  Tensor asin(At at = At::current()) const;
  Tensor& asin_(At at = At::current()) const;
  Tensor acos(At at = At::current()) const;
  Tensor& acos_(At at = At::current()) const;
  Tensor atan(At at = At::current()) const;
  Tensor& atan_(At at = At::current()) const;
  Tensor sinh(At at = At::current()) const;
  Tensor& sinh_(At at = At::current()) const;
  Tensor cosh(At at = At::current()) const;
  Tensor& cosh_(At at = At::current()) const;
  Tensor asinh(At at = At::current()) const;
  Tensor& asinh_(At at = At::current()) const;
  Tensor acosh(At at = At::current()) const;
  Tensor& acosh_(At at = At::current()) const;
  Tensor atanh(At at = At::current()) const;
  Tensor& atanh_(At at = At::current()) const;
  Tensor erfc(At at = At::current()) const;
  Tensor& erfc_(At at = At::current()) const;
  Tensor erfinv(At at = At::current()) const;
  Tensor& erfinv_(At at = At::current()) const;
  Tensor floor(At at = At::current()) const;
  Tensor& floor_(At at = At::current()) const;
  Tensor ceil(At at = At::current()) const;
  Tensor& ceil_(At at = At::current()) const;
  Tensor round(At at = At::current()) const;
  Tensor& round_(At at = At::current()) const;
  Tensor round(Integer decimals, At at = At::current()) const;
  Tensor& round_(Integer decimals, At at = At::current()) const;
  Tensor trunc(At at = At::current()) const;
  Tensor& trunc_(At at = At::current()) const;
  Tensor frac(At at = At::current()) const;
  Tensor& frac_(At at = At::current()) const;
  Tensor sinc(At at = At::current()) const;
  Tensor& sinc_(At at = At::current()) const;
  Tensor polygamma(Integer n, At at = At::current()) const;
  Tensor& polygamma_(Integer n, At at = At::current()) const;
  Tensor digamma(At at = At::current()) const;
  Tensor& digamma_(At at = At::current()) const;
  Tensor lgamma(At at = At::current()) const;
  Tensor& lgamma_(At at = At::current()) const;
  Tensor logit(std::optional<double> eps = {}, At at = At::current()) const;
  Tensor& logit_(std::optional<double> eps = {}, At at = At::current()) const;
  Tensor nan_to_num(std::optional<double> nan = {}, std::optional<double> posinf = {},
                    std::optional<double> neginf = {}, At at = At::current()) const;
  Tensor& nan_to_num_(std::optional<double> nan = {}, std::optional<double> posinf = {},
                      std::optional<double> neginf = {}, At at = At::current()) const;
  Tensor isnan(At at = At::current()) const;
  Tensor isinf(At at = At::current()) const;
  Tensor isfinite(At at = At::current()) const;
  Tensor signbit(At at = At::current()) const;
  Tensor logical_not(At at = At::current()) const;
  Tensor bitwise_not(At at = At::current()) const;

  // Elementwise, several operands
  Tensor add(const Tensor& other, Scalar alpha = 1, At at = At::current()) const;
  Tensor add(Scalar other, Scalar alpha = 1, At at = At::current()) const;
  Tensor& add_(const Tensor& other, Scalar alpha = 1, At at = At::current()) const;
  Tensor& add_(Scalar other, Scalar alpha = 1, At at = At::current()) const;
  Tensor sub(const Tensor& other, Scalar alpha = 1, At at = At::current()) const;
  Tensor sub(Scalar other, Scalar alpha = 1, At at = At::current()) const;
  Tensor& sub_(const Tensor& other, Scalar alpha = 1, At at = At::current()) const;
  Tensor& sub_(Scalar other, Scalar alpha = 1, At at = At::current()) const;
  Tensor mul(const Tensor& other, At at = At::current()) const;
  Tensor mul(Scalar other, At at = At::current()) const;
  Tensor& mul_(const Tensor& other, At at = At::current()) const;
  Tensor& mul_(Scalar other, At at = At::current()) const;
  Tensor div(const Tensor& other, At at = At::current()) const;
  Tensor div(Scalar other, At at = At::current()) const;
  Tensor& div_(const Tensor& other, At at = At::current()) const;
  Tensor& div_(Scalar other, At at = At::current()) const;
  Tensor pow(const Tensor& exponent, At at = At::current()) const;
  Tensor pow(Scalar exponent, At at = At::current()) const;
  Tensor& pow_(const Tensor& exponent, At at = At::current()) const;
  Tensor& pow_(Scalar exponent, At at = At::current()) const;
  Tensor maximum(const Tensor& other, At at = At::current()) const;
  Tensor minimum(const Tensor& other, At at = At::current()) const;
  /// self where the condition holds, else other.
  Tensor where(const Tensor& condition, const Tensor& other, At at = At::current()) const;
  Tensor where(const Tensor& condition, Scalar other, At at = At::current()) const;
  Tensor lerp(const Tensor& end, const Tensor& weight, At at = At::current()) const;
  Tensor lerp(const Tensor& end, Scalar weight, At at = At::current()) const;
  Tensor& lerp_(const Tensor& end, const Tensor& weight, At at = At::current()) const;
  Tensor& lerp_(const Tensor& end, Scalar weight, At at = At::current()) const;
  Tensor atan2(const Tensor& other, At at = At::current()) const;
  Tensor& atan2_(const Tensor& other, At at = At::current()) const;
  Tensor hypot(const Tensor& other, At at = At::current()) const;
  Tensor& hypot_(const Tensor& other, At at = At::current()) const;
  Tensor remainder(const Tensor& other, At at = At::current()) const;
  Tensor remainder(Scalar other, At at = At::current()) const;
  Tensor& remainder_(const Tensor& other, At at = At::current()) const;
  Tensor& remainder_(Scalar other, At at = At::current()) const;
  Tensor fmod(const Tensor& other, At at = At::current()) const;
  Tensor fmod(Scalar other, At at = At::current()) const;
  Tensor& fmod_(const Tensor& other, At at = At::current()) const;
  Tensor& fmod_(Scalar other, At at = At::current()) const;
  Tensor fmax(const Tensor& other, At at = At::current()) const;
  Tensor fmin(const Tensor& other, At at = At::current()) const;
  Tensor logaddexp(const Tensor& other, At at = At::current()) const;
  Tensor logaddexp2(const Tensor& other, At at = At::current()) const;
  Tensor logical_and(const Tensor& other, At at = At::current()) const;
  Tensor logical_or(const Tensor& other, At at = At::current()) const;
  Tensor logical_xor(const Tensor& other, At at = At::current()) const;
  Tensor xlogy(const Tensor& other, At at = At::current()) const;
  Tensor xlogy(Scalar other, At at = At::current()) const;
  Tensor copysign(const Tensor& other, At at = At::current()) const;
  Tensor copysign(Scalar other, At at = At::current()) const;
  Tensor bitwise_and(const Tensor& other, At at = At::current()) const;
  Tensor bitwise_and(Scalar other, At at = At::current()) const;
  Tensor bitwise_or(const Tensor& other, At at = At::current()) const;
  Tensor bitwise_or(Scalar other, At at = At::current()) const;
  Tensor bitwise_xor(const Tensor& other, At at = At::current()) const;
  Tensor bitwise_xor(Scalar other, At at = At::current()) const;
  Tensor floor_divide(const Tensor& other, At at = At::current()) const;
  Tensor floor_divide(Scalar other, At at = At::current()) const;
  Tensor& floor_divide_(const Tensor& other, At at = At::current()) const;
  Tensor& floor_divide_(Scalar other, At at = At::current()) const;
  Tensor& xlogy_(const Tensor& other, At at = At::current()) const;
  Tensor& xlogy_(Scalar other, At at = At::current()) const;
  Tensor& copysign_(const Tensor& other, At at = At::current()) const;
  Tensor& copysign_(Scalar other, At at = At::current()) const;
  Tensor div(const Tensor& other, std::optional<std::string_view> rounding_mode,
             At at = At::current()) const;
  Tensor div(Scalar other, std::optional<std::string_view> rounding_mode,
             At at = At::current()) const;
  Tensor& div_(const Tensor& other, std::optional<std::string_view> rounding_mode,
               At at = At::current()) const;
  Tensor& div_(Scalar other, std::optional<std::string_view> rounding_mode,
               At at = At::current()) const;
  Tensor addcdiv(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                 At at = At::current()) const;
  Tensor& addcdiv_(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                   At at = At::current()) const;
  Tensor isclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                 bool equal_nan = false, At at = At::current()) const;
  Tensor addcmul(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                 At at = At::current()) const;
  Tensor& addcmul_(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                   At at = At::current()) const;
  Tensor masked_fill(const Tensor& mask, Scalar value, At at = At::current()) const;
  Tensor masked_fill(const Tensor& mask, const Tensor& value, At at = At::current()) const;
  Tensor& masked_fill_(const Tensor& mask, Scalar value, At at = At::current()) const;
  Tensor& masked_fill_(const Tensor& mask, const Tensor& value, At at = At::current()) const;
  Tensor eq(const Tensor& other, At at = At::current()) const;
  Tensor ne(const Tensor& other, At at = At::current()) const;
  Tensor lt(const Tensor& other, At at = At::current()) const;
  Tensor le(const Tensor& other, At at = At::current()) const;
  Tensor gt(const Tensor& other, At at = At::current()) const;
  Tensor ge(const Tensor& other, At at = At::current()) const;
  Tensor eq(Scalar other, At at = At::current()) const;
  Tensor ne(Scalar other, At at = At::current()) const;
  Tensor lt(Scalar other, At at = At::current()) const;
  Tensor le(Scalar other, At at = At::current()) const;
  Tensor gt(Scalar other, At at = At::current()) const;
  Tensor ge(Scalar other, At at = At::current()) const;
  /// Comparisons written over the tensor: 0 and 1 in its dtype; the old value has gradient 0.
  Tensor& eq_(const Tensor& other, At at = At::current()) const;
  Tensor& ne_(const Tensor& other, At at = At::current()) const;
  Tensor& lt_(const Tensor& other, At at = At::current()) const;
  Tensor& le_(const Tensor& other, At at = At::current()) const;
  Tensor& gt_(const Tensor& other, At at = At::current()) const;
  Tensor& ge_(const Tensor& other, At at = At::current()) const;
  Tensor& eq_(Scalar other, At at = At::current()) const;
  Tensor& ne_(Scalar other, At at = At::current()) const;
  Tensor& lt_(Scalar other, At at = At::current()) const;
  Tensor& le_(Scalar other, At at = At::current()) const;
  Tensor& gt_(Scalar other, At at = At::current()) const;
  Tensor& ge_(Scalar other, At at = At::current()) const;
  bool equal(const Tensor& other, At at = At::current()) const;
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
                At at = At::current()) const;
  Tensor clip(std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
              At at = At::current()) const;
  Tensor& clip_(std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
                At at = At::current()) const;
  Tensor clip(const Tensor& min, const Tensor& max, At at = At::current()) const;
  Tensor& clip_(const Tensor& min, const Tensor& max, At at = At::current()) const;
  Tensor hardshrink(Scalar lambd = 0.5, At at = At::current()) const;
  Tensor prelu(const Tensor& weight, At at = At::current()) const;
  Tensor& bitwise_and_(const Tensor& other, At at = At::current()) const;
  Tensor& bitwise_and_(Scalar other, At at = At::current()) const;
  Tensor& bitwise_or_(const Tensor& other, At at = At::current()) const;
  Tensor& bitwise_or_(Scalar other, At at = At::current()) const;
  Tensor& bitwise_xor_(const Tensor& other, At at = At::current()) const;
  Tensor& bitwise_xor_(Scalar other, At at = At::current()) const;
  Tensor& bitwise_not_(At at = At::current()) const;
  Tensor& logical_and_(const Tensor& other, At at = At::current()) const;
  Tensor& logical_or_(const Tensor& other, At at = At::current()) const;
  Tensor& logical_xor_(const Tensor& other, At at = At::current()) const;
  Tensor& logical_not_(At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
