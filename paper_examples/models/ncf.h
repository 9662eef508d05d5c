// NeuMF, neural collaborative filtering: whether a user will like an item, by the product of two of
// their vectors and by a perceptron over two others. (He et al. 2017) Sizes are those of the 2019
// paper's benchmark, parameter names those of NVIDIA's implementation.
#pragma once
#include <vector>

#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/embedding.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/module_list.h"

namespace notape::models {

class NCFOptions {
 public:
  /// As many as MovieLens-20M has.
  NCFOptions(int64_t users = 138493, int64_t items = 26744) : users_(users), items_(items) {}
  /// Width of the vectors that are multiplied.
  NCFOptions& mf_dim(int64_t width) { return mf_dim_ = width, *this; }
  /// Widths of the perceptron's layers; the first, an even number, is that of both vectors
  /// together.
  NCFOptions& mlp_layer_sizes(std::vector<int64_t> widths) {
    return mlp_layer_sizes_ = std::move(widths), *this;
  }
  /// After each layer of the perceptron, while trained.
  NCFOptions& dropout(double probability) { return dropout_ = probability, *this; }
  int64_t users() const { return users_; }
  int64_t items() const { return items_; }
  int64_t mf_dim() const { return mf_dim_; }
  const std::vector<int64_t>& mlp_layer_sizes() const { return mlp_layer_sizes_; }
  double dropout() const { return dropout_; }

 private:
  int64_t users_, items_, mf_dim_ = 64;
  std::vector<int64_t> mlp_layer_sizes_ = {256, 256, 128, 64};
  double dropout_ = 0.5;
};

struct NCFImpl : nn::Module {
  /// Embeddings normal(0, 0.01), layers by Glorot's uniform, the last by LeCun's. Throws ValueError
  /// for sizes below 1, a perceptron without layers or an odd first width, and a dropout that is no
  /// probability.
  explicit NCFImpl(const NCFOptions& options = {});
  NCFImpl(int64_t users, int64_t items) : NCFImpl(NCFOptions(users, items)) {}
  /// Users (N) and items (N), int64 -> scores (N), of which sigmoid is the probability.
  Tensor forward(const Tensor& users, const Tensor& items) const;

  NCFOptions options;
  nn::Embedding mf_user_embed, mf_item_embed, mlp_user_embed, mlp_item_embed;
  nn::ModuleList mlp;
  nn::Linear final;
  nn::Dropout dropout;
};
using NCF = nn::ModuleHolder<NCFImpl>;

}  // namespace notape::models
