// Elementwise functions of two and three operands. add_out, sub_out, mul_out and div_out of tensors
// stand in ops/elementwise.h.
#pragma once
#include <optional>
#include <string_view>

#include "ops/at.h"

namespace notape {

/// Converted to out's dtype.
Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other,
                std::optional<std::string_view> rounding_mode, At at = At::current());
Tensor& floor_divide_out(Tensor& out, const Tensor& self, const Tensor& other,
                         At at = At::current());
Tensor& remainder_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& remainder_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& fmod_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& fmod_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& pow_out(Tensor& out, const Tensor& self, const Tensor& exponent, At at = At::current());
Tensor& pow_out(Tensor& out, const Tensor& self, Scalar exponent, At at = At::current());
Tensor& pow_out(Tensor& out, Scalar self, const Tensor& exponent, At at = At::current());
Tensor& maximum_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& minimum_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& fmax_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& fmin_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& atan2_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& hypot_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& logaddexp_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& logaddexp2_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& copysign_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& copysign_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& xlogy_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& xlogy_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& xlogy_out(Tensor& out, Scalar self, const Tensor& other, At at = At::current());
Tensor& addcmul_out(Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                    Scalar value = 1, At at = At::current());
Tensor& addcdiv_out(Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                    Scalar value = 1, At at = At::current());
Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end, Scalar weight,
                 At at = At::current());
/// Of the result's dtype, exactly; lerp_out of a 0-d weight is converted.
Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end, const Tensor& weight,
                 At at = At::current());
Tensor& where_out(Tensor& out, const Tensor& condition, const Tensor& self, const Tensor& other,
                  At at = At::current());

}  // namespace notape
