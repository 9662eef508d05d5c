#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions loss_functions([](Functions& f) {
  f("nll_loss", nll_loss, nll_loss_out);
  f("cross_entropy", cross_entropy);
  f("cross_entropy_loss", cross_entropy_loss);
  f("mse_loss", mse_loss, mse_loss_out);
  f("l1_loss", l1_loss);
  f("smooth_l1_loss", smooth_l1_loss, smooth_l1_loss_out);
  f("huber_loss", huber_loss, huber_loss_out);
  f("binary_cross_entropy", binary_cross_entropy, binary_cross_entropy_out);
  f("binary_cross_entropy_with_logits", binary_cross_entropy_with_logits);
  f("kl_div", kl_div);
  f("hinge_embedding_loss", hinge_embedding_loss);
  f("margin_ranking_loss", margin_ranking_loss);
  f("soft_margin_loss", soft_margin_loss, soft_margin_loss_out);
  f("poisson_nll_loss", poisson_nll_loss);
  f("cosine_embedding_loss", cosine_embedding_loss);
  f("triplet_margin_loss", triplet_margin_loss);
  f("pairwise_distance", pairwise_distance);
  f("cosine_similarity", cosine_similarity);
  f("cdist", cdist);
  f.of<Tensor(X, X, Sizes, Sizes, I, Reduction, bool)>("ctc_loss", ctc_loss);
  f.of<Tensor(X, X, X, X, I, Reduction, bool)>("ctc_loss", ctc_loss);
});

}  // namespace
}  // namespace notape::functions
