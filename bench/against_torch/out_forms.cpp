// The out forms of ops/out.h.
#include "ops/out.h"

#include "bench/against_torch/calls.h"

namespace notape::against_torch {

namespace {

using I = Integer;
using O = Tensor&;
template <typename P>
using Maybe = std::optional<P>;

void add_out_forms_of_elementwise(Calls& calls) {
  calls.of<O, T>()("exp_out", exp_out)("exp2_out", exp2_out)("expm1_out", expm1_out)(
      "log_out", log_out)("log10_out", log10_out)("log1p_out", log1p_out)("log2_out", log2_out)(
      "sqrt_out", sqrt_out)("rsqrt_out", rsqrt_out)("reciprocal_out", reciprocal_out)(
      "sin_out", sin_out)("cos_out", cos_out)("tan_out", tan_out)("asin_out", asin_out)(
      "acos_out", acos_out)("atan_out", atan_out)("sinh_out", sinh_out)("cosh_out", cosh_out)(
      "tanh_out", tanh_out)("asinh_out", asinh_out)("acosh_out", acosh_out)("atanh_out", atanh_out)(
      "erf_out", erf_out)("erfc_out", erfc_out)("erfinv_out", erfinv_out)(
      "sigmoid_out", sigmoid_out)("neg_out", neg_out)("square_out", square_out)("abs_out", abs_out)(
      "ceil_out", ceil_out)("floor_out", floor_out)("trunc_out", trunc_out)("frac_out", frac_out)(
      "round_out", round_out)("sign_out", sign_out)("signbit_out", signbit_out);
  calls.of<O, T, Maybe<double>>()("logit_out", logit_out);
  calls.of<O, T, I>()("round_out", round_out);
  calls.of<O, T, Maybe<double>, Maybe<double>, Maybe<double>>()("nan_to_num_out", nan_to_num_out);
  calls.of<O, T, Maybe<Scalar>, Maybe<Scalar>>()("clamp_out", clamp_out)("clip_out", clip_out);
  calls.of<O, T, T, T>()("clamp_out", clamp_out)("clip_out", clip_out);
  calls.of<O, T, Scalar>()("clamp_min_out", clamp_min_out)("clamp_max_out", clamp_max_out);
  calls.of<O, T, T>()("clamp_min_out", clamp_min_out)("clamp_max_out", clamp_max_out);
}

void add_out_forms_of_arithmetic(Calls& calls) {
  calls.of<O, T, T, Scalar>()("add_out", add_out)("sub_out", sub_out)("lerp_out", lerp_out);
  calls.of<O, T, T>()("mul_out", mul_out)("div_out", div_out)("floor_divide_out", floor_divide_out)(
      "remainder_out", remainder_out)("fmod_out", fmod_out)("pow_out", pow_out)(
      "maximum_out", maximum_out)("minimum_out", minimum_out)("fmax_out", fmax_out)(
      "fmin_out", fmin_out)("atan2_out", atan2_out)("hypot_out", hypot_out)(
      "logaddexp_out", logaddexp_out)("logaddexp2_out", logaddexp2_out)(
      "copysign_out", copysign_out)("xlogy_out", xlogy_out);
  calls.of<O, T, T, Maybe<std::string_view>>()("div_out", div_out);
  calls.of<O, T, Scalar>()("remainder_out", remainder_out)("fmod_out", fmod_out)(
      "pow_out", pow_out)("copysign_out", copysign_out)("xlogy_out", xlogy_out);
  calls.of<O, Scalar, T>()("pow_out", pow_out)("xlogy_out", xlogy_out);
  calls.of<O, T, T, T, Scalar>()("addcmul_out", addcmul_out)("addcdiv_out", addcdiv_out);
  calls.of<O, T, T, T>()("lerp_out", lerp_out)("where_out", where_out);
}

void add_out_forms_of_comparison(Calls& calls) {
  calls.of<O, T, T>()("eq_out", eq_out)("ne_out", ne_out)("lt_out", lt_out)("le_out", le_out)(
      "gt_out", gt_out)("ge_out", ge_out)("logical_and_out", logical_and_out)(
      "logical_or_out", logical_or_out)("logical_xor_out", logical_xor_out)(
      "bitwise_and_out", bitwise_and_out)("bitwise_or_out", bitwise_or_out)("bitwise_xor_out",
                                                                            bitwise_xor_out);
  calls.of<O, T, Scalar>()("eq_out", eq_out)("ne_out", ne_out)("lt_out", lt_out)("le_out", le_out)(
      "gt_out", gt_out)("ge_out", ge_out)("bitwise_and_out", bitwise_and_out)(
      "bitwise_or_out", bitwise_or_out)("bitwise_xor_out", bitwise_xor_out);
  calls.of<O, T>()("logical_not_out", logical_not_out)("bitwise_not_out", bitwise_not_out);
  calls.of<O, T, T, bool, bool>()("isin_out", isin_out);
  calls.of<O, T, Scalar, bool, bool>()("isin_out", isin_out);
  calls.of<O, Scalar, T, bool, bool>()("isin_out", isin_out);
}

void add_out_forms_of_reduce(Calls& calls) {
  calls.of<O, T, IntArrayRef, bool, Maybe<ScalarType>>()("sum_out", sum_out)("mean_out", mean_out);
  calls.of<O, T, I, bool, Maybe<ScalarType>>()("prod_out", prod_out);
  calls.of<O, T, I, Maybe<ScalarType>>()("cumsum_out", cumsum_out)("cumprod_out", cumprod_out)(
      "softmax_out", softmax_out)("log_softmax_out", log_softmax_out);
  calls.of<O, T, Maybe<ScalarType>>()("mean_out", mean_out);
  calls.of<O, T, IntArrayRef, bool>()("logsumexp_out", logsumexp_out)("amax_out", amax_out)(
      "amin_out", amin_out)("all_out", all_out)("any_out", any_out);
  // Of the overloads one is a template.
  calls.with<O, T, IntArrayRef, bool, bool>(
      "var_out", [](O out, T self, IntArrayRef dim, bool unbiased, bool keepdim) {
        return var_out(out, self, dim, unbiased, keepdim);
      });
  calls.with<O, T, IntArrayRef, bool, bool>(
      "std_out", [](O out, T self, IntArrayRef dim, bool unbiased, bool keepdim) {
        return std_out(out, self, dim, unbiased, keepdim);
      });
  calls.of<O, T>()("max_out", max_out)("min_out", min_out);
  calls.of<O, T, T>()("max_out", max_out)("min_out", min_out);
  calls.of<O, T, I>()("logcumsumexp_out", logcumsumexp_out);
  calls.of<O, T, Scalar, IntArrayRef, bool, Maybe<ScalarType>>()("linalg_vector_norm_out",
                                                                 linalg_vector_norm_out);
  calls.of<O, T, Maybe<Scalar>, IntArrayRef, bool>()("norm_out", norm_out);
  calls.of<O, T, Maybe<Scalar>, IntArrayRef, bool, ScalarType>()("norm_out", norm_out);
  calls.of<O, T, Maybe<Integer>, bool>()("argmax_out", argmax_out)("argmin_out", argmin_out);
  calls.of<O, T, bool, I, bool>()("argsort_out", argsort_out);
  calls.of<O, O, T, I, bool>()("max_out", max_out)("min_out", min_out)("median_out", median_out);
  calls.of<O, O, T, Maybe<Integer>, bool>()("aminmax_out", aminmax_out);
  const auto sorted = [](O values, O indices, const auto&... x) {
    return sort_out(values, indices, x...);
  };
  calls.with<O, O, T, I, bool>("sort_out", sorted);
  calls.with<O, O, T, Maybe<bool>, I, bool>("sort_out", sorted);
  calls.of<O, O, T, I, I, bool, bool>()("topk_out", topk_out);
  calls.of<O, O, T, I>()("cummax_out", cummax_out)("cummin_out", cummin_out);
}

void add_out_forms_of_linalg(Calls& calls) {
  calls.of<O, T, T>()("mm_out", mm_out)("bmm_out", bmm_out)("matmul_out", matmul_out)(
      "mv_out", mv_out)("dot_out", dot_out)("inner_out", inner_out)("outer_out", outer_out)(
      "kron_out", kron_out);
  calls.of<O, T, T, T, Scalar, Scalar>()("addmm_out", addmm_out)("addmv_out", addmv_out)(
      "baddbmm_out", baddbmm_out);
  calls.of<O, T, T, T>()("linear_out", linear_out);
  calls.of<O, T, T, IntArrayRef, IntArrayRef>()("tensordot_out", tensordot_out);
  calls.of<O, T, T, I>()("linalg_cross_out", linalg_cross_out);
  calls.of<O, T>()("linalg_inv_out", linalg_inv_out)("inverse_out", inverse_out)(
      "linalg_det_out", linalg_det_out)("linalg_svdvals_out", linalg_svdvals_out);
  calls.of<O, T, T, bool>()("linalg_solve_out", linalg_solve_out);
  calls.of<O, T, T, bool, bool, bool>()("linalg_solve_triangular_out", linalg_solve_triangular_out);
  calls.of<O, T, bool>()("linalg_cholesky_out", linalg_cholesky_out);
  calls.of<O, T, std::string_view>()("linalg_eigvalsh_out", linalg_eigvalsh_out);
  calls.of<O, O, T>()("linalg_slogdet_out", linalg_slogdet_out)("slogdet_out", slogdet_out);
}

void add_out_forms_of_index(Calls& calls) {
  calls.of<O, T, I, T>()("index_select_out", index_select_out)("gather_out", gather_out);
  calls.of<O, T, T>()("take_out", take_out)("masked_select_out", masked_select_out);
  calls.of<O, T, T, Maybe<Integer>>()("take_along_dim_out", take_along_dim_out);
  calls.of<O, T, I, T, T, Scalar>()("index_add_out", index_add_out);
  calls.of<O, T, I, T, T>()("index_copy_out", index_copy_out)("scatter_out", scatter_out)(
      "scatter_add_out", scatter_add_out);
  calls.of<O, T, I, T, Scalar>()("scatter_out", scatter_out);
  calls.of<O, T, I, T, T, std::string_view>()("scatter_out", scatter_out);
  calls.of<O, T, I, T, Scalar, std::string_view>()("scatter_out", scatter_out);
  calls.of<O, T, I, T, T, std::string_view, bool>()("scatter_reduce_out", scatter_reduce_out);
  calls.of<O, T, I>()("tril_out", tril_out)("triu_out", triu_out)("diag_out", diag_out);
  calls.of<O, T>()("nonzero_out", nonzero_out);
  calls.of<O, T, T, bool, bool, Maybe<std::string_view>, T>()("searchsorted_out", searchsorted_out);
  calls.of<O, T, Scalar, bool, bool, Maybe<std::string_view>, T>()("searchsorted_out",
                                                                   searchsorted_out);
  calls.of<O, T, T, bool, bool>()("bucketize_out", bucketize_out);
  calls.of<O, const TensorList&, I>()("cat_out", cat_out)("stack_out", stack_out);
}

void add_out_forms_of_nn(Calls& calls) {
  calls.of<O, T, std::string_view>()("gelu_out", gelu_out);
  calls.of<O, T>()("silu_out", silu_out)("mish_out", mish_out)("hardsigmoid_out", hardsigmoid_out)(
      "hardswish_out", hardswish_out)("log_sigmoid_out", log_sigmoid_out);
  calls.of<O, T, Scalar>()("leaky_relu_out", leaky_relu_out)("hardshrink_out", hardshrink_out)(
      "softshrink_out", softshrink_out);
  calls.of<O, T, Scalar, Scalar, Scalar>()("elu_out", elu_out);
  calls.of<O, T, Scalar, Scalar>()("hardtanh_out", hardtanh_out)("softplus_out", softplus_out)(
      "threshold_out", threshold_out);
  calls.of<O, T, I>()("glu_out", glu_out);
  calls.of<O, T, T, Reduction>()("mse_loss_out", mse_loss_out)("soft_margin_loss_out",
                                                               soft_margin_loss_out);
  calls.of<O, T, T, Reduction, double>()("smooth_l1_loss_out", smooth_l1_loss_out)("huber_loss_out",
                                                                                   huber_loss_out);
  calls.of<O, T, T, T, Reduction>()("binary_cross_entropy_out", binary_cross_entropy_out);
  calls.of<O, T, T, T, Reduction, I>()("nll_loss_out", nll_loss_out);
  calls.of<O, T, Pair, Optional<Pair>, Pair, bool, bool, Maybe<Integer>>()("avg_pool2d_out",
                                                                           avg_pool2d_out);
  calls.of<O, T, Triple, Optional<Triple>, Triple, bool, bool, Maybe<Integer>>()("avg_pool3d_out",
                                                                                 avg_pool3d_out);
  calls.of<O, T, Pair>()("adaptive_avg_pool2d_out", adaptive_avg_pool2d_out);
  calls.of<O, T, Triple>()("adaptive_avg_pool3d_out", adaptive_avg_pool3d_out);
  calls.of<O, O, T, Pair>()("adaptive_max_pool2d_out", adaptive_max_pool2d_out);
  calls.of<O, O, T, Pair, Optional<Pair>, Pair, Pair, bool>()("max_pool2d_with_indices_out",
                                                              max_pool2d_with_indices_out);
  calls.of<O, O, T, Triple, Optional<Triple>, Triple, Triple, bool>()("max_pool3d_with_indices_out",
                                                                      max_pool3d_with_indices_out);
  calls.of<O, T, T, Pair>()("max_unpool2d_out", max_unpool2d_out);
  calls.of<O, T, Pair, Pair, Pair, Pair>()("im2col_out", im2col_out);
  calls.of<O, T, Pair, Pair, Pair, Pair, Pair>()("col2im_out", col2im_out);
  calls.of<O, T, IntArrayRef>()("reflection_pad1d_out", reflection_pad1d_out)(
      "reflection_pad2d_out", reflection_pad2d_out)("reflection_pad3d_out", reflection_pad3d_out)(
      "replication_pad1d_out", replication_pad1d_out)(
      "replication_pad2d_out", replication_pad2d_out)("replication_pad3d_out",
                                                      replication_pad3d_out);
  calls.of<O, T, I, Maybe<double>>()("upsample_nearest1d_out", upsample_nearest1d_out);
  calls.of<O, T, Pair, Maybe<double>, Maybe<double>>()("upsample_nearest2d_out",
                                                       upsample_nearest2d_out);
  calls.of<O, T, I, bool, Maybe<double>>()("upsample_linear1d_out", upsample_linear1d_out);
  calls.of<O, T, Pair, bool, Maybe<double>, Maybe<double>>()(
      "upsample_bilinear2d_out", upsample_bilinear2d_out)("upsample_bicubic2d_out",
                                                          upsample_bicubic2d_out);
}

}  // namespace

void add_out_forms(Calls& calls) {
  add_out_forms_of_elementwise(calls);
  add_out_forms_of_arithmetic(calls);
  add_out_forms_of_comparison(calls);
  add_out_forms_of_reduce(calls);
  add_out_forms_of_linalg(calls);
  add_out_forms_of_index(calls);
  add_out_forms_of_nn(calls);
}

}  // namespace notape::against_torch
