#include "paper_examples/models/ncf.h"

#include <gtest/gtest.h>

#include "ops/ops.h"

namespace notape::models {
namespace {

TEST(NCF, OfAPerceptronThatGivesNothingTheScoreIsTheProductOfVectors) {
  manual_seed(1);
  const NCF model(NCFOptions(3, 4).mf_dim(2).mlp_layer_sizes({4, 2}));
  const NoGradGuard no_grad;
  model->mlp->at<nn::Linear>(0).weight.zero_();
  model->mlp->at<nn::Linear>(0).bias.fill_(-1);
  model->final->bias.zero_();
  const Tensor users = tensor(std::vector<int64_t>{2, 0}),
               items = tensor(std::vector<int64_t>{1, 3});
  const Tensor product = model->mf_user_embed->weight.index_select(0, users) *
                         model->mf_item_embed->weight.index_select(0, items);
  const Tensor expected = matmul(product, model->final->weight[0].slice(0, 0, 2));
  EXPECT_TRUE(allclose(model(users, items), expected));
}

TEST(NCF, RefusesSizesThatMakeNoModel) {
  EXPECT_THROW(NCF(0, 4), ValueError);
  EXPECT_THROW(NCF(NCFOptions(3, 4).mlp_layer_sizes({4})), ValueError);
  EXPECT_THROW(NCF(NCFOptions(3, 4).mlp_layer_sizes({5, 2})), ValueError);
  EXPECT_THROW(NCF(NCFOptions(3, 4).mlp_layer_sizes({4, 0})), ValueError);
}

}  // namespace
}  // namespace notape::models
