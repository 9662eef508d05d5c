// The operators of ops/elementwise.h.
#include "bench/against_torch/calls.h"

namespace notape::against_torch {

namespace {

using Number = std::optional<double>;
using Bound = std::optional<Scalar>;
using Rounding = std::optional<std::string_view>;

void add_functions_of_one(Calls& calls) {
  calls.of<T>()("neg", neg)("abs", abs)("sign", sign)("sqrt", sqrt)("rsqrt", rsqrt)(
      "reciprocal", reciprocal)("exp", exp)("log", log)("log1p", log1p)("sin", sin)("cos", cos)(
      "tanh", tanh)("sigmoid", sigmoid)("relu", relu)("erf", erf)("expm1", expm1)("exp2", exp2)(
      "log2", log2)("log10", log10)("tan", tan)("asin", asin)("acos", acos)("atan", atan)(
      "sinh", sinh)("cosh", cosh)("asinh", asinh)("acosh", acosh)("atanh", atanh)("erfc", erfc)(
      "erfinv", erfinv)("floor", floor)("ceil", ceil)("round", round)("trunc", trunc)("frac", frac)(
      "square", square)("logical_not", logical_not)("isnan", isnan)("isinf", isinf)(
      "isfinite", isfinite)("signbit", signbit)("bitwise_not", bitwise_not);
  calls.of<Tensor&>()("neg_", neg_)("abs_", abs_)("sqrt_", sqrt_)("rsqrt_", rsqrt_)(
      "reciprocal_", reciprocal_)("exp_", exp_)("log_", log_)("log1p_", log1p_)("sin_", sin_)(
      "cos_", cos_)("tanh_", tanh_)("sigmoid_", sigmoid_)("relu_", relu_)("erf_", erf_)(
      "expm1_", expm1_)("exp2_", exp2_)("log2_", log2_)("log10_", log10_)("tan_", tan_)(
      "asin_", asin_)("acos_", acos_)("atan_", atan_)("sinh_", sinh_)("cosh_", cosh_)(
      "asinh_", asinh_)("acosh_", acosh_)("atanh_", atanh_)("erfc_", erfc_)("erfinv_", erfinv_)(
      "floor_", floor_)("ceil_", ceil_)("round_", round_)("trunc_", trunc_)("frac_", frac_)(
      "square_", square_);
  calls.of<T, Number>()("logit", logit);
  calls.of<Tensor&, Number>()("logit_", logit_);
  calls.of<T, Number, Number, Number>()("nan_to_num", nan_to_num);
  calls.of<Tensor&, Number, Number, Number>()("nan_to_num_", nan_to_num_);
  calls.of<T, Bound, Bound>()("clamp", clamp);
  calls.of<Tensor&, Bound, Bound>()("clamp_", clamp_);
  calls.of<T, Scalar>()("clamp_min", clamp_min)("clamp_max", clamp_max);
  calls.of<T, Scalar, Scalar>()("softplus", softplus);
}

void add_functions_of_two(Calls& calls) {
  calls.of<T, T, Scalar>()("add", add)("sub", sub);
  calls.of<T, Scalar, Scalar>()("add", add)("sub", sub);
  calls.of<Tensor&, T, Scalar>()("add_", add_)("sub_", sub_);
  calls.of<Tensor&, Scalar, Scalar>()("add_", add_)("sub_", sub_);
  calls.of<T, T>()("mul", mul)("div", div)("pow", pow)("maximum", maximum)("minimum", minimum)(
      "atan2", atan2)("hypot", hypot)("remainder", remainder)("fmod", fmod)("fmax", fmax)(
      "fmin", fmin)("logaddexp", logaddexp)("logaddexp2", logaddexp2)("xlogy", xlogy)(
      "copysign", copysign)("floor_divide", floor_divide);
  calls.of<T, Scalar>()("mul", mul)("div", div)("pow", pow)("rsub", rsub)("remainder", remainder)(
      "fmod", fmod)("xlogy", xlogy)("copysign", copysign)("floor_divide", floor_divide);
  calls.of<Scalar, T>()("pow", pow)("xlogy", xlogy);
  calls.of<Tensor&, T>()("mul_", mul_)("div_", div_)("pow_", pow_)("atan2_", atan2_)(
      "hypot_", hypot_)("remainder_", remainder_)("fmod_", fmod_)("xlogy_", xlogy_)("copysign_",
                                                                                    copysign_);
  calls.of<Tensor&, Scalar>()("mul_", mul_)("div_", div_)("pow_", pow_)("remainder_", remainder_)(
      "fmod_", fmod_);
  calls.of<T, T, Rounding>()("div", div);
  calls.of<T, Scalar, Rounding>()("div", div);
}

void add_functions_of_three(Calls& calls) {
  calls.of<T, T, T>()("where", where)("lerp", lerp);
  calls.of<T, T, Scalar>()("where", where)("lerp", lerp)("masked_fill", masked_fill);
  calls.of<T, Scalar, T>()("where", where);
  calls.of<Tensor&, T, T>()("lerp_", lerp_);
  calls.of<Tensor&, T, Scalar>()("lerp_", lerp_)("masked_fill_", masked_fill_);
  calls.of<T, T, T, Scalar>()("addcmul", addcmul)("addcdiv", addcdiv);
  calls.of<Tensor&, T, T, Scalar>()("addcmul_", addcmul_)("addcdiv_", addcdiv_);
}

void add_comparisons(Calls& calls) {
  calls.of<T, T>()("eq", eq)("ne", ne)("lt", lt)("le", le)("gt", gt)("ge", ge)(
      "logical_and", logical_and)("logical_or", logical_or)("logical_xor", logical_xor)(
      "bitwise_and", bitwise_and)("bitwise_or", bitwise_or)("bitwise_xor", bitwise_xor)("equal",
                                                                                        equal);
  calls.of<T, Scalar>()("eq", eq)("ne", ne)("lt", lt)("le", le)("gt", gt)("ge", ge)(
      "bitwise_and", bitwise_and)("bitwise_or", bitwise_or)("bitwise_xor", bitwise_xor);
  calls.of<T, T, double, double, bool>()("isclose", isclose)("allclose", allclose);
}

}  // namespace

void add_elementwise(Calls& calls) {
  add_functions_of_one(calls);
  add_functions_of_two(calls);
  add_functions_of_three(calls);
  add_comparisons(calls);
}

void add_activations(Calls& calls) {
  calls.of<T>()("silu", silu)("mish", mish)("selu", selu)("relu6", relu6)(
      "hardsigmoid", hardsigmoid)("hardswish", hardswish)("log_sigmoid", log_sigmoid);
  calls.of<Tensor&>()("silu_", silu_)("mish_", mish_)("selu_", selu_)("relu6_", relu6_)(
      "hardsigmoid_", hardsigmoid_)("hardswish_", hardswish_);
  calls.of<T, std::string_view>()("gelu", gelu);
  calls.of<Tensor&, std::string_view>()("gelu_", gelu_);
  calls.of<T, Scalar>()("leaky_relu", leaky_relu)("celu", celu)("hardshrink", hardshrink)(
      "softshrink", softshrink);
  calls.of<Tensor&, Scalar>()("leaky_relu_", leaky_relu_)("celu_", celu_);
  calls.of<T, Scalar, Scalar>()("hardtanh", hardtanh)("threshold", threshold);
  calls.of<Tensor&, Scalar, Scalar>()("hardtanh_", hardtanh_)("threshold_", threshold_);
  calls.of<T, Scalar, Scalar, Scalar>()("elu", elu);
  calls.of<Tensor&, Scalar, Scalar, Scalar>()("elu_", elu_);
  calls.of<T, T>()("prelu", prelu);
  calls.of<T, Integer>()("glu", glu);
}

}  // namespace notape::against_torch
