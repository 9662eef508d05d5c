// Exponentials, logarithms, trigonometry and their relatives. What holds for all elementwise
// operators stands in ops/elementwise.h.
#pragma once
#include <optional>

#include "ops/at.h"

namespace notape {

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
/// sin(pi x) / (pi x), and 1 at 0: exactly 0 at other whole numbers;  d/dx = (cos(pi x) - sinc(x))
/// / x
Tensor sinc(const Tensor& self, At at = At::current());
Tensor& sinc_(Tensor& self, At at = At::current());
/// e^(x^2) erfc(x) without overflow for positive x;  d/dx = 2 x erfcx(x) - 2 / sqrt(pi)
Tensor special_erfcx(const Tensor& self, At at = At::current());
/// digamma differentiated n times, n from 0 to 169 (ValueError);  d/dx = polygamma(n + 1, x)
Tensor polygamma(Integer n, const Tensor& self, At at = At::current());
/// The derivative of lgamma: -inf at 0, NaN at negative whole numbers;  d/dx = polygamma(1, x)
Tensor digamma(const Tensor& self, At at = At::current());
Tensor& digamma_(Tensor& self, At at = At::current());
/// log |gamma(x)|: inf at 0 and at negative whole numbers;  d/dx = digamma(x)
Tensor lgamma(const Tensor& self, At at = At::current());
Tensor& lgamma_(Tensor& self, At at = At::current());
/// log(x / (1 - x)),  d/dx = 1 / (x (1 - x)): inf at 0 and 1, and outside them both are NaN. With
/// eps x counts as clamp(x, eps, 1 - eps), and the derivative beyond these and at them is 0.
Tensor logit(const Tensor& self, std::optional<double> eps = {}, At at = At::current());
Tensor& logit_(Tensor& self, std::optional<double> eps = {}, At at = At::current());
/// The angle in [-pi, pi] of the point (other, self), that is (x, y);  d/dself = x / (x^2 + y^2),
/// d/dother = -y / (x^2 + y^2), and both 0 at the origin. Integers give float32.
Tensor atan2(const Tensor& self, const Tensor& other, At at = At::current());
Tensor& atan2_(Tensor& self, const Tensor& other, At at = At::current());
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

}  // namespace notape
