// A small language model of today's kind: a transformer that guesses each next word from those
// before. (Vaswani et al. 2017, Radford et al. 2018; younger than the paper's benchmark, and not in
// it)
#pragma once
#include "paper_examples/nn/embedding.h"
#include "paper_examples/nn/transformer.h"

namespace notape::models {

class TransformerOptions {
 public:
  TransformerOptions(int64_t vocab_size = 8192) : vocab_size_(vocab_size) {}
  TransformerOptions& d_model(int64_t width) { return d_model_ = width, *this; }
  TransformerOptions& nhead(int64_t count) { return nhead_ = count, *this; }
  TransformerOptions& num_layers(int64_t count) { return num_layers_ = count, *this; }
  TransformerOptions& dropout(double probability) { return dropout_ = probability, *this; }
  /// The most words that a text may have.
  TransformerOptions& max_length(int64_t words) { return max_length_ = words, *this; }
  int64_t vocab_size() const { return vocab_size_; }
  int64_t d_model() const { return d_model_; }
  int64_t nhead() const { return nhead_; }
  int64_t num_layers() const { return num_layers_; }
  double dropout() const { return dropout_; }
  int64_t max_length() const { return max_length_; }

 private:
  int64_t vocab_size_, d_model_ = 256, nhead_ = 4, num_layers_ = 4, max_length_ = 128;
  double dropout_ = 0.1;
};

struct TransformerImpl : nn::Module {
  /// Embeddings normal(0, 0.02), layers by their own initial values; the perceptrons are four times
  /// as wide as the model. Throws what its layers throw.
  explicit TransformerImpl(const TransformerOptions& options = {});
  /// Words (T, B) int64, T at most max_length -> scores of each next word (T, B, vocab)
  Tensor forward(const Tensor& words) const;

  TransformerOptions options;
  nn::Embedding embedder, positions;
  nn::Dropout dropout;
  nn::TransformerEncoder encoder;
  nn::Linear fc;
};
using Transformer = nn::ModuleHolder<TransformerImpl>;

}  // namespace notape::models
