// Out forms, into outs that nobody should pass: what they refuse, they have not touched.
#include "ops/fuzz/functions.h"
#include "ops/out.h"

namespace notape::fuzz {
namespace {

using O = Tensor&;
using TwoOuts = std::tuple<Tensor&, Tensor&>;
using ThreeOuts = std::tuple<Tensor&, Tensor&, Tensor&>;

void add_elementwise(Functions& f) {
  f.add<O, O, X>("exp_out", exp_out);
  f.add<O, O, X>("abs_out", abs_out);
  f.add<O, O, X>("signbit_out", signbit_out);
  f.add<O, O, X, I>("round_out", round_out);
  f.add<O, O, X, Maybe<double>>("logit_out", logit_out);
  f.add<O, O, X, X, Scalar>("add_out", add_out);
  f.add<O, O, X, X, Maybe<std::string_view>>("div_out", div_out);
  f.add<O, O, Scalar, X>("pow_out", pow_out);
  f.add<O, O, X, X, X>("where_out", where_out);
  f.add<O, O, X, X, X>("clamp_out", clamp_out);
  f.add<O, O, X, Scalar>("eq_out", eq_out);
  f.add<O, O, X, X>("bitwise_xor_out", bitwise_xor_out);
  f.add<O, O, X, X, bool, bool>("isin_out", isin_out);
}

void add_reductions(Functions& f) {
  f.add<O, O, X, List, bool, Maybe<ScalarType>>("sum_out", sum_out);
  f.add<O, O, X, List, bool, Maybe<ScalarType>>("mean_out", mean_out);
  f.add<O, O, X, I, Maybe<ScalarType>>("cumprod_out", cumprod_out);
  f.add<O, O, X, List, bool, bool>("var_out", var_out);
  f.add<O, O, X, Maybe<Scalar>, List, bool>("norm_out", norm_out);
  f.add<O, O, X, List, bool>("all_out", all_out);
  f.add<O, O, X, Maybe<I>, bool>("argmax_out", argmax_out);
  f.add<TwoOuts, O, O, X, I, bool>("max_out", max_out);
  f.add<TwoOuts, O, O, X, Maybe<I>, bool>("aminmax_out", aminmax_out);
  f.add<TwoOuts, O, O, X, I, bool>("sort_out", sort_out);
  f.add<TwoOuts, O, O, X, I, I, bool, bool>("topk_out", topk_out);
  f.add<TwoOuts, O, O, X, I>("cummin_out", cummin_out);
}

void add_products(Functions& f) {
  f.add<O, O, X, X>("mm_out", mm_out);
  f.add<O, O, X, X, X, Scalar, Scalar>("addmm_out", addmm_out);
  f.add<O, O, X, X>("kron_out", kron_out);
  f.add<O, O, X, X, List, List>("tensordot_out", tensordot_out);
  f.add<TwoOuts, O, O, X>("linalg_slogdet_out", linalg_slogdet_out);
  f.add<TwoOuts, O, O, X, std::string_view>("linalg_qr_out", linalg_qr_out);
  f.add<ThreeOuts, O, O, O, X, bool>("linalg_svd_out", linalg_svd_out);
}

void add_others(Functions& f) {
  f.add<O, O, X, Indices>("index_out", index_out);
  f.add<O, O, X, I, X, X>("scatter_add_out", scatter_add_out);
  f.add<O, O, X, X>("masked_select_out", masked_select_out);
  f.add<O, O, X, I>("diag_out", diag_out);
  f.add<O, O, const TensorList&, I>("cat_out", cat_out);
  f.add<O, O, X, I>("glu_out", glu_out);
  f.add<O, O, X, X, X, Reduction, I>("nll_loss_out", nll_loss_out);
  f.add<TwoOuts, O, O, X, Pair, Optional<Pair>, Pair, Pair, bool>("max_pool2d_with_indices_out",
                                                                  max_pool2d_with_indices_out);
  f.add<O, O, X, List>("reflection_pad2d_out", reflection_pad2d_out);
  f.add<O, O, Scalar, Scalar, I>("linspace_out", linspace_out);
  f.add<O, O, X>("bernoulli_out", bernoulli_out);
}

}  // namespace

std::vector<Target> out_form_targets() {
  Functions functions;
  add_elementwise(functions);
  add_reductions(functions);
  add_products(functions);
  add_others(functions);
  return functions.take();
}

}  // namespace notape::fuzz
