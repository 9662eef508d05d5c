// The operators of ops/linalg.h and ops/loss.h.
#include "bench/against_torch/calls.h"

namespace notape::against_torch {

namespace {

void add_products(Calls& calls) {
  calls.of<T, T>()("mm", mm)("bmm", bmm)("matmul", matmul)("dot", dot)("outer", outer)("mv", mv);
  calls.of<T, T, T>()("linear", linear);
  calls.of<T, T, T, Scalar, Scalar>()("addmm", addmm)("addmv", addmv)("baddbmm", baddbmm);
  calls.of<Tensor&, T, T, Scalar, Scalar>()("addmm_", addmm_)("addmv_", addmv_)("baddbmm_",
                                                                                baddbmm_);
  calls.of<std::string_view, const TensorList&>()("einsum", einsum);
  calls.of<T, T, IntArrayRef, IntArrayRef>()("tensordot", tensordot);
  calls.of<T, T, T, T>()("bilinear", bilinear);
  calls.of<T, T, Integer>()("linalg_cross", linalg_cross);
  calls.of<T, T, T, T, double, bool, std::optional<double>, bool>()("scaled_dot_product_attention",
                                                                    scaled_dot_product_attention);
}

void add_losses(Calls& calls) {
  calls.of<T, T, T, Reduction, Integer>()("nll_loss", nll_loss);
  calls.of<T, T, T, Reduction, Integer, double>()("cross_entropy", cross_entropy);
  calls.of<T, T, Reduction>()("mse_loss", mse_loss)("l1_loss", l1_loss)("soft_margin_loss",
                                                                        soft_margin_loss);
  calls.of<T, T, Reduction, double>()("smooth_l1_loss", smooth_l1_loss)("huber_loss", huber_loss);
  calls.of<T, T, T, Reduction>()("binary_cross_entropy", binary_cross_entropy);
  calls.of<T, T, T, T, Reduction>()("binary_cross_entropy_with_logits",
                                    binary_cross_entropy_with_logits);
  calls.of<T, T, Reduction, bool>()("kl_div", kl_div);
  calls.of<T, T, double, Reduction>()("hinge_embedding_loss", hinge_embedding_loss);
  calls.of<T, T, T, double, Reduction>()("margin_ranking_loss", margin_ranking_loss)(
      "cosine_embedding_loss", cosine_embedding_loss);
  calls.of<T, T, bool, bool, double, Reduction>()("poisson_nll_loss", poisson_nll_loss);
  calls.of<T, T, T, double, double, double, bool, Reduction>()("triplet_margin_loss",
                                                               triplet_margin_loss);
  calls.of<T, T, double, double, bool>()("pairwise_distance", pairwise_distance);
  calls.of<T, T, Integer, double>()("cosine_similarity", cosine_similarity);
}

}  // namespace

void add_products_and_losses(Calls& calls) {
  add_products(calls);
  add_losses(calls);
}

}  // namespace notape::against_torch
