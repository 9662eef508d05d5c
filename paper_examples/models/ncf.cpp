#include "paper_examples/models/ncf.h"

#include <algorithm>
#include <cmath>

#include "ops/ops.h"
#include "paper_examples/nn/init.h"

namespace notape::models {
namespace {

const NCFOptions& checked(const NCFOptions& o) {
  const std::vector<int64_t>& widths = o.mlp_layer_sizes();
  if (o.users() < 1 || o.items() < 1 || o.mf_dim() < 1 || widths.size() < 2 || widths[0] % 2 != 0 ||
      *std::min_element(widths.begin(), widths.end()) < 1)
    throw ValueError(
        "NCF: users {}, items {} and all widths have to be above 0, the perceptron of "
        "two widths or more, the first of them even",
        o.users(), o.items());
  return o;
}

nn::Embedding make_ncf_embedding(int64_t rows, int64_t width) {
  const nn::Embedding embedding(rows, width);
  nn::init::normal_(embedding->weight, 0, 0.01);
  return embedding;
}

}  // namespace

NCFImpl::NCFImpl(const NCFOptions& o)
    : options(checked(o)),
      mf_user_embed(register_module("mf_user_embed", make_ncf_embedding(o.users(), o.mf_dim()))),
      mf_item_embed(register_module("mf_item_embed", make_ncf_embedding(o.items(), o.mf_dim()))),
      mlp_user_embed(register_module("mlp_user_embed",
                                     make_ncf_embedding(o.users(), o.mlp_layer_sizes()[0] / 2))),
      mlp_item_embed(register_module("mlp_item_embed",
                                     make_ncf_embedding(o.items(), o.mlp_layer_sizes()[0] / 2))),
      mlp(register_module("mlp", nn::ModuleList())),
      final(register_module("final", nn::Linear(o.mlp_layer_sizes().back() + o.mf_dim(), 1))),
      dropout(register_module("dropout", nn::Dropout(o.dropout()))) {
  const std::vector<int64_t>& widths = o.mlp_layer_sizes();
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const nn::Linear layer(widths[i - 1], widths[i]);
    nn::init::xavier_uniform_(layer->weight);
    mlp->push_back(layer);
  }
  const double bound = std::sqrt(3.0 / static_cast<double>(widths.back() + o.mf_dim()));
  nn::init::uniform_(final->weight, -bound, bound);
}

Tensor NCFImpl::forward(const Tensor& users, const Tensor& items) const {
  const Tensor product = mf_user_embed(users) * mf_item_embed(items);  // (N, mf_dim)
  Tensor x = cat({mlp_user_embed(users), mlp_item_embed(items)}, 1);   // (N, first width)
  for (std::size_t i = 0; i < mlp->size(); ++i)
    x = dropout(relu(mlp->at<nn::Linear>(i).forward(x)));
  return final(cat({product, x}, 1)).squeeze(1);
}

}  // namespace notape::models
