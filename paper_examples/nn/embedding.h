// Embedding: a table of vectors, looked up by number.
#pragma once
#include <optional>

#include "paper_examples/nn/module.h"

namespace notape::nn {

class EmbeddingOptions {
 public:
  EmbeddingOptions(Integer num_embeddings, Integer embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  /// A row that begins as 0 and gets no gradient; negative: counted from the end.
  EmbeddingOptions& padding_idx(std::optional<Integer> row) { return padding_idx_ = row, *this; }
  /// Gradients of a row are divided by how often it was taken.
  EmbeddingOptions& scale_grad_by_freq(bool on) { return scale_grad_by_freq_ = on, *this; }
  int64_t num_embeddings() const { return num_embeddings_; }
  int64_t embedding_dim() const { return embedding_dim_; }
  std::optional<int64_t> padding_idx() const { return padding_idx_; }
  bool scale_grad_by_freq() const { return scale_grad_by_freq_; }

 private:
  int64_t num_embeddings_, embedding_dim_;
  std::optional<int64_t> padding_idx_;
  bool scale_grad_by_freq_ = false;
};

struct EmbeddingImpl : Module {
  /// Standard normal, as in LibTorch. Throws ValueError for a padding_idx out of range.
  explicit EmbeddingImpl(const EmbeddingOptions& options);
  EmbeddingImpl(Integer num_embeddings, Integer embedding_dim)
      : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
  /// Integers (..) -> (.., embedding_dim). Throws IndexError for a number that is out of range.
  Tensor forward(const Tensor& indices) const;
  void pretty_print(std::ostream& out) const override;

  EmbeddingOptions options;
  Tensor weight;  // (num_embeddings, embedding_dim)

 private:
  int64_t padding_row_ = -1;
};

using Embedding = ModuleHolder<EmbeddingImpl>;

}  // namespace notape::nn
