// The members of a Tensor that ops/elementwise/ defines: x.f() for f(x), x.f_() for f_(x). The
// formula, shapes, errors and derivative of each stand beside f in ops/elementwise.h.
#pragma once
#include <optional>

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
  Tensor reciprocal(At at = At::current()) const;
  Tensor& reciprocal_(At at = At::current()) const;
  Tensor clamp(std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
               At at = At::current()) const;
  Tensor& clamp_(std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
                 At at = At::current()) const;
  Tensor clamp_min(Scalar min, At at = At::current()) const;
  Tensor clamp_max(Scalar max, At at = At::current()) const;

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
  Tensor lerp(const Tensor& end, const Tensor& weight, At at = At::current()) const;
  Tensor lerp(const Tensor& end, Scalar weight, At at = At::current()) const;
  Tensor& lerp_(const Tensor& end, const Tensor& weight, At at = At::current()) const;
  Tensor& lerp_(const Tensor& end, Scalar weight, At at = At::current()) const;
  Tensor addcmul(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                 At at = At::current()) const;
  Tensor& addcmul_(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                   At at = At::current()) const;
  Tensor masked_fill(const Tensor& mask, Scalar value, At at = At::current()) const;
  Tensor& masked_fill_(const Tensor& mask, Scalar value, At at = At::current()) const;
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
  bool equal(const Tensor& other, At at = At::current()) const;
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
                At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
