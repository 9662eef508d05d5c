// Elementwise functions of one tensor.
#pragma once
#include <optional>

#include "ops/at.h"

namespace notape {

/// exp(self) and the like. Integers give floats.
Tensor& exp_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& exp2_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& expm1_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& log_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& log10_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& log1p_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& log2_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& sqrt_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& rsqrt_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& reciprocal_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& sin_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& cos_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& tan_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& asin_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& acos_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& atan_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& sinh_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& cosh_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& tanh_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& asinh_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& acosh_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& atanh_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& erf_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& erfc_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& erfinv_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& sigmoid_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& sinc_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& special_erfcx_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& polygamma_out(Tensor& out, Integer n, const Tensor& self, At at = At::current());
Tensor& digamma_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& lgamma_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& logit_out(Tensor& out, const Tensor& self, std::optional<double> eps = {},
                  At at = At::current());
Tensor& square_out(Tensor& out, const Tensor& self, At at = At::current());
/// These keep the dtype: out must have it, exactly.
Tensor& abs_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& ceil_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& floor_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& trunc_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& frac_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& round_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& round_out(Tensor& out, const Tensor& self, Integer decimals, At at = At::current());
Tensor& nan_to_num_out(Tensor& out, const Tensor& self, std::optional<double> nan = {},
                       std::optional<double> posinf = {}, std::optional<double> neginf = {},
                       At at = At::current());
Tensor& neg_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& sign_out(Tensor& out, const Tensor& self, At at = At::current());
/// A bool, into a bool.
Tensor& signbit_out(Tensor& out, const Tensor& self, At at = At::current());
/// clamp_out with numbers: of self's dtype (promoted), exactly. With tensors: converted.
Tensor& clamp_out(Tensor& out, const Tensor& self, std::optional<Scalar> min = {},
                  std::optional<Scalar> max = {}, At at = At::current());
Tensor& clip_out(Tensor& out, const Tensor& self, std::optional<Scalar> min = {},
                 std::optional<Scalar> max = {}, At at = At::current());
Tensor& clamp_out(Tensor& out, const Tensor& self, const Tensor& min, const Tensor& max = {},
                  At at = At::current());
Tensor& clip_out(Tensor& out, const Tensor& self, const Tensor& min, const Tensor& max = {},
                 At at = At::current());
Tensor& clamp_min_out(Tensor& out, const Tensor& self, Scalar min, At at = At::current());
Tensor& clamp_min_out(Tensor& out, const Tensor& self, const Tensor& min, At at = At::current());
Tensor& clamp_max_out(Tensor& out, const Tensor& self, Scalar max, At at = At::current());
Tensor& clamp_max_out(Tensor& out, const Tensor& self, const Tensor& max, At at = At::current());

}  // namespace notape
