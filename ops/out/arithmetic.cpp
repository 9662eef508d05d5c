// Elementwise functions of two and three operands. add_out, sub_out, mul_out and div_out of tensors
// stand in ops/elementwise.h.
#include "ops/out/arithmetic.h"

#include "ops/arithmetic.h"
#include "ops/out/detail/write_out.h"
#include "ops/selection.h"
#include "ops/transcendental.h"

namespace notape {

Tensor& add_out(Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha, At at) {
  return out_of("add_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return add(self, other, alpha, at); });
}
Tensor& sub_out(Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha, At at) {
  return out_of("sub_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return sub(self, other, alpha, at); });
}
Tensor& mul_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("mul_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return mul(self, other, at); });
}
Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("div_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return div(self, other, at); });
}
Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other,
                std::optional<std::string_view> rounding_mode, At at) {
  return out_of("div_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return div(self, other, rounding_mode, at); });
}
Tensor& floor_divide_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("floor_divide_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return floor_divide(self, other, at); });
}
Tensor& remainder_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("remainder_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return remainder(self, other, at); });
}
Tensor& remainder_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("remainder_out", at, out, {&self}, Fit::Converted,
                [&] { return remainder(self, other, at); });
}
Tensor& fmod_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("fmod_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return fmod(self, other, at); });
}
Tensor& fmod_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("fmod_out", at, out, {&self}, Fit::Converted,
                [&] { return fmod(self, other, at); });
}
Tensor& pow_out(Tensor& out, const Tensor& self, const Tensor& exponent, At at) {
  return out_of("pow_out", at, out, {&self, &exponent}, Fit::Converted,
                [&] { return pow(self, exponent, at); });
}
Tensor& pow_out(Tensor& out, const Tensor& self, Scalar exponent, At at) {
  return out_of("pow_out", at, out, {&self}, Fit::Converted,
                [&] { return pow(self, exponent, at); });
}
Tensor& pow_out(Tensor& out, Scalar self, const Tensor& exponent, At at) {
  return out_of("pow_out", at, out, {&exponent}, Fit::Converted,
                [&] { return pow(self, exponent, at); });
}
Tensor& maximum_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("maximum_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return maximum(self, other, at); });
}
Tensor& minimum_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("minimum_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return minimum(self, other, at); });
}
Tensor& fmax_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("fmax_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return fmax(self, other, at); });
}
Tensor& fmin_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("fmin_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return fmin(self, other, at); });
}
Tensor& atan2_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("atan2_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return atan2(self, other, at); });
}
Tensor& hypot_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("hypot_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return hypot(self, other, at); });
}
Tensor& logaddexp_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("logaddexp_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return logaddexp(self, other, at); });
}
Tensor& logaddexp2_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("logaddexp2_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return logaddexp2(self, other, at); });
}
Tensor& copysign_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("copysign_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return copysign(self, other, at); });
}
Tensor& copysign_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("copysign_out", at, out, {&self}, Fit::Converted,
                [&] { return copysign(self, other, at); });
}
Tensor& xlogy_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("xlogy_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return xlogy(self, other, at); });
}
Tensor& xlogy_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("xlogy_out", at, out, {&self}, Fit::Converted,
                [&] { return xlogy(self, other, at); });
}
Tensor& xlogy_out(Tensor& out, Scalar self, const Tensor& other, At at) {
  return out_of("xlogy_out", at, out, {&other}, Fit::Converted,
                [&] { return xlogy(self, other, at); });
}
Tensor& addcmul_out(Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                    Scalar value, At at) {
  return out_of("addcmul_out", at, out, {&self, &tensor1, &tensor2}, Fit::Converted,
                [&] { return addcmul(self, tensor1, tensor2, value, at); });
}
Tensor& addcdiv_out(Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                    Scalar value, At at) {
  return out_of("addcdiv_out", at, out, {&self, &tensor1, &tensor2}, Fit::Converted,
                [&] { return addcdiv(self, tensor1, tensor2, value, at); });
}
Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end, const Tensor& weight, At at) {
  return out_of("lerp_out", at, out, {&self, &end, &weight}, exact_unless_number(weight),
                [&] { return lerp(self, end, weight, at); });
}
Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end, Scalar weight, At at) {
  return out_of("lerp_out", at, out, {&self, &end}, Fit::Converted,
                [&] { return lerp(self, end, weight, at); });
}
Tensor& where_out(Tensor& out, const Tensor& condition, const Tensor& self, const Tensor& other,
                  At at) {
  return out_of("where_out", at, out, {&condition, &self, &other}, Fit::Exact,
                [&] { return where(condition, self, other, at); });
}

}  // namespace notape
