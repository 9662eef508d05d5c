// TransformerEncoder: layers of attention and a perceptron, each added to its input and normalised.
// (Vaswani et al. 2017) Parameter names are LibTorch's.
#pragma once
#include <string>

#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/layer_norm.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/module_list.h"
#include "paper_examples/nn/multihead_attention.h"

namespace notape::nn {

class TransformerEncoderLayerOptions {
 public:
  TransformerEncoderLayerOptions(Integer d_model, Integer nhead)
      : d_model_(d_model), nhead_(nhead) {}
  /// The perceptron's hidden width.
  TransformerEncoderLayerOptions& dim_feedforward(Integer width) {
    return dim_feedforward_ = width, *this;
  }
  /// Of attention's weights, the perceptron's hidden layer and both sums, while trained.
  TransformerEncoderLayerOptions& dropout(double p) { return dropout_ = p, *this; }
  int64_t d_model() const { return d_model_; }
  int64_t nhead() const { return nhead_; }
  int64_t dim_feedforward() const { return dim_feedforward_; }
  double dropout() const { return dropout_; }

 private:
  int64_t d_model_, nhead_, dim_feedforward_ = 2048;
  double dropout_ = 0.1;
};

struct TransformerEncoderLayerImpl : Module {
  /// Throws what its layers throw.
  explicit TransformerEncoderLayerImpl(const TransformerEncoderLayerOptions& options);
  TransformerEncoderLayerImpl(Integer d_model, Integer nhead)
      : TransformerEncoderLayerImpl(TransformerEncoderLayerOptions(d_model, nhead)) {}
  /// x = norm1(src + attention(src)), norm2(x + linear2(relu(linear1(x)))): src (S, N, d_model);
  /// masks as those of MultiheadAttention: src_mask (S, S), src_key_padding_mask (N, S).
  Tensor forward(const Tensor& src, const Tensor& src_mask = {},
                 const Tensor& src_key_padding_mask = {}) const;

  TransformerEncoderLayerOptions options;
  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;
};
using TransformerEncoderLayer = ModuleHolder<TransformerEncoderLayerImpl>;

class TransformerEncoderOptions {
 public:
  TransformerEncoderOptions(const TransformerEncoderLayerOptions& encoder_layer, Integer num_layers)
      : encoder_layer_(encoder_layer), num_layers_(num_layers) {}
  const TransformerEncoderLayerOptions& encoder_layer() const { return encoder_layer_; }
  int64_t num_layers() const { return num_layers_; }

 private:
  TransformerEncoderLayerOptions encoder_layer_;
  int64_t num_layers_;
};

/// Layers one after the other, each with initial values of its own (LibTorch's begin as copies of
/// one).
struct TransformerEncoderImpl : Module {
  /// Throws ValueError for less than one layer.
  explicit TransformerEncoderImpl(const TransformerEncoderOptions& options);
  /// As a layer's.
  Tensor forward(Tensor src, const Tensor& src_mask = {},
                 const Tensor& src_key_padding_mask = {}) const;

  TransformerEncoderOptions options;
  ModuleList layers;
};
using TransformerEncoder = ModuleHolder<TransformerEncoderImpl>;

}  // namespace notape::nn
