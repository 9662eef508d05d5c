// Elementwise functions of one tensor.
#include "ops/out/elementwise.h"

#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/out/detail/write_out.h"
#include "ops/rounding.h"
#include "ops/selection.h"
#include "ops/transcendental.h"

namespace notape {

Tensor& exp_out(Tensor& out, const Tensor& self, At at) {
  return out_of("exp_out", at, out, {&self}, Fit::Converted, [&] { return exp(self, at); });
}
Tensor& exp2_out(Tensor& out, const Tensor& self, At at) {
  return out_of("exp2_out", at, out, {&self}, Fit::Converted, [&] { return exp2(self, at); });
}
Tensor& expm1_out(Tensor& out, const Tensor& self, At at) {
  return out_of("expm1_out", at, out, {&self}, Fit::Converted, [&] { return expm1(self, at); });
}
Tensor& log_out(Tensor& out, const Tensor& self, At at) {
  return out_of("log_out", at, out, {&self}, Fit::Converted, [&] { return log(self, at); });
}
Tensor& log10_out(Tensor& out, const Tensor& self, At at) {
  return out_of("log10_out", at, out, {&self}, Fit::Converted, [&] { return log10(self, at); });
}
Tensor& log1p_out(Tensor& out, const Tensor& self, At at) {
  return out_of("log1p_out", at, out, {&self}, Fit::Converted, [&] { return log1p(self, at); });
}
Tensor& log2_out(Tensor& out, const Tensor& self, At at) {
  return out_of("log2_out", at, out, {&self}, Fit::Converted, [&] { return log2(self, at); });
}
Tensor& sqrt_out(Tensor& out, const Tensor& self, At at) {
  return out_of("sqrt_out", at, out, {&self}, Fit::Converted, [&] { return sqrt(self, at); });
}
Tensor& rsqrt_out(Tensor& out, const Tensor& self, At at) {
  return out_of("rsqrt_out", at, out, {&self}, Fit::Converted, [&] { return rsqrt(self, at); });
}
Tensor& reciprocal_out(Tensor& out, const Tensor& self, At at) {
  return out_of("reciprocal_out", at, out, {&self}, Fit::Converted,
                [&] { return reciprocal(self, at); });
}
Tensor& sin_out(Tensor& out, const Tensor& self, At at) {
  return out_of("sin_out", at, out, {&self}, Fit::Converted, [&] { return sin(self, at); });
}
Tensor& cos_out(Tensor& out, const Tensor& self, At at) {
  return out_of("cos_out", at, out, {&self}, Fit::Converted, [&] { return cos(self, at); });
}
Tensor& tan_out(Tensor& out, const Tensor& self, At at) {
  return out_of("tan_out", at, out, {&self}, Fit::Converted, [&] { return tan(self, at); });
}
Tensor& asin_out(Tensor& out, const Tensor& self, At at) {
  return out_of("asin_out", at, out, {&self}, Fit::Converted, [&] { return asin(self, at); });
}
Tensor& acos_out(Tensor& out, const Tensor& self, At at) {
  return out_of("acos_out", at, out, {&self}, Fit::Converted, [&] { return acos(self, at); });
}
Tensor& atan_out(Tensor& out, const Tensor& self, At at) {
  return out_of("atan_out", at, out, {&self}, Fit::Converted, [&] { return atan(self, at); });
}
Tensor& sinh_out(Tensor& out, const Tensor& self, At at) {
  return out_of("sinh_out", at, out, {&self}, Fit::Converted, [&] { return sinh(self, at); });
}
Tensor& cosh_out(Tensor& out, const Tensor& self, At at) {
  return out_of("cosh_out", at, out, {&self}, Fit::Converted, [&] { return cosh(self, at); });
}
Tensor& tanh_out(Tensor& out, const Tensor& self, At at) {
  return out_of("tanh_out", at, out, {&self}, Fit::Converted, [&] { return tanh(self, at); });
}
Tensor& asinh_out(Tensor& out, const Tensor& self, At at) {
  return out_of("asinh_out", at, out, {&self}, Fit::Converted, [&] { return asinh(self, at); });
}
Tensor& acosh_out(Tensor& out, const Tensor& self, At at) {
  return out_of("acosh_out", at, out, {&self}, Fit::Converted, [&] { return acosh(self, at); });
}
Tensor& atanh_out(Tensor& out, const Tensor& self, At at) {
  return out_of("atanh_out", at, out, {&self}, Fit::Converted, [&] { return atanh(self, at); });
}
Tensor& erf_out(Tensor& out, const Tensor& self, At at) {
  return out_of("erf_out", at, out, {&self}, Fit::Converted, [&] { return erf(self, at); });
}
Tensor& erfc_out(Tensor& out, const Tensor& self, At at) {
  return out_of("erfc_out", at, out, {&self}, Fit::Converted, [&] { return erfc(self, at); });
}
Tensor& erfinv_out(Tensor& out, const Tensor& self, At at) {
  return out_of("erfinv_out", at, out, {&self}, Fit::Converted, [&] { return erfinv(self, at); });
}
Tensor& sigmoid_out(Tensor& out, const Tensor& self, At at) {
  return out_of("sigmoid_out", at, out, {&self}, Fit::Converted, [&] { return sigmoid(self, at); });
}
Tensor& logit_out(Tensor& out, const Tensor& self, std::optional<double> eps, At at) {
  return out_of("logit_out", at, out, {&self}, Fit::Converted,
                [&] { return logit(self, eps, at); });
}
Tensor& neg_out(Tensor& out, const Tensor& self, At at) {
  return out_of("neg_out", at, out, {&self}, Fit::Exact, [&] { return neg(self, at); });
}
Tensor& square_out(Tensor& out, const Tensor& self, At at) {
  return out_of("square_out", at, out, {&self}, Fit::Converted, [&] { return square(self, at); });
}
Tensor& abs_out(Tensor& out, const Tensor& self, At at) {
  return out_of("abs_out", at, out, {&self}, Fit::Exact, [&] { return abs(self, at); });
}
Tensor& ceil_out(Tensor& out, const Tensor& self, At at) {
  return out_of("ceil_out", at, out, {&self}, Fit::Exact, [&] { return ceil(self, at); });
}
Tensor& floor_out(Tensor& out, const Tensor& self, At at) {
  return out_of("floor_out", at, out, {&self}, Fit::Exact, [&] { return floor(self, at); });
}
Tensor& trunc_out(Tensor& out, const Tensor& self, At at) {
  return out_of("trunc_out", at, out, {&self}, Fit::Exact, [&] { return trunc(self, at); });
}
Tensor& frac_out(Tensor& out, const Tensor& self, At at) {
  return out_of("frac_out", at, out, {&self}, Fit::Exact, [&] { return frac(self, at); });
}
Tensor& round_out(Tensor& out, const Tensor& self, At at) {
  return out_of("round_out", at, out, {&self}, Fit::Exact, [&] { return round(self, at); });
}
Tensor& round_out(Tensor& out, const Tensor& self, Integer decimals, At at) {
  return out_of("round_out", at, out, {&self}, Fit::Exact,
                [&] { return round(self, decimals, at); });
}
Tensor& nan_to_num_out(Tensor& out, const Tensor& self, std::optional<double> nan,
                       std::optional<double> posinf, std::optional<double> neginf, At at) {
  return out_of("nan_to_num_out", at, out, {&self}, Fit::Exact,
                [&] { return nan_to_num(self, nan, posinf, neginf, at); });
}
Tensor& sign_out(Tensor& out, const Tensor& self, At at) {
  return out_of("sign_out", at, out, {&self}, Fit::Exact, [&] { return sign(self, at); });
}
Tensor& signbit_out(Tensor& out, const Tensor& self, At at) {
  return out_of("signbit_out", at, out, {&self}, Fit::Exact, [&] { return signbit(self, at); });
}
Tensor& clamp_out(Tensor& out, const Tensor& self, std::optional<Scalar> min,
                  std::optional<Scalar> max, At at) {
  return out_of("clamp_out", at, out, {&self}, Fit::Exact,
                [&] { return clamp(self, min, max, at); });
}
Tensor& clip_out(Tensor& out, const Tensor& self, std::optional<Scalar> min,
                 std::optional<Scalar> max, At at) {
  return out_of("clip_out", at, out, {&self}, Fit::Exact, [&] { return clip(self, min, max, at); });
}
Tensor& clamp_out(Tensor& out, const Tensor& self, const Tensor& min, const Tensor& max, At at) {
  return out_of("clamp_out", at, out, {&self, &min, &max}, Fit::Converted,
                [&] { return clamp(self, min, max, at); });
}
Tensor& clip_out(Tensor& out, const Tensor& self, const Tensor& min, const Tensor& max, At at) {
  return out_of("clip_out", at, out, {&self, &min, &max}, Fit::Converted,
                [&] { return clip(self, min, max, at); });
}
Tensor& clamp_min_out(Tensor& out, const Tensor& self, Scalar min, At at) {
  return out_of("clamp_min_out", at, out, {&self}, Fit::Exact,
                [&] { return clamp_min(self, min, at); });
}
Tensor& clamp_min_out(Tensor& out, const Tensor& self, const Tensor& min, At at) {
  return out_of("clamp_min_out", at, out, {&self, &min}, Fit::Converted,
                [&] { return clamp_min(self, min, at); });
}
Tensor& clamp_max_out(Tensor& out, const Tensor& self, Scalar max, At at) {
  return out_of("clamp_max_out", at, out, {&self}, Fit::Exact,
                [&] { return clamp_max(self, max, at); });
}
Tensor& clamp_max_out(Tensor& out, const Tensor& self, const Tensor& max, At at) {
  return out_of("clamp_max_out", at, out, {&self, &max}, Fit::Converted,
                [&] { return clamp_max(self, max, at); });
}

}  // namespace notape
