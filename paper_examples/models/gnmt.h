// GNMTv2: translation by LSTMs with residual connections, whose decoder attends to what the encoder
// made. (Wu et al. 2016; the attention is that of Bahdanau et al. 2015, normalised as by Salimans
// and Kingma 2016) Sizes and initial values are those of the 2019 paper's benchmark, parameter
// names those of NVIDIA's implementation ("encoder.rnn_layers.0.weight_ih_l0"). Layout (T, B, F).
#pragma once
#include <optional>
#include <tuple>
#include <vector>

#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/embedding.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/module_list.h"
#include "paper_examples/nn/recurrent.h"

namespace notape::models {

class GNMTOptions {
 public:
  /// The number that fills sentences up to their batch's length.
  static constexpr int64_t kPad = 0;

  GNMTOptions(int64_t vocab_size = 32320) : vocab_size_(vocab_size) {}
  GNMTOptions& hidden_size(int64_t size) { return hidden_size_ = size, *this; }
  /// Of the encoder, and of the decoder; at least 2.
  GNMTOptions& num_layers(int64_t count) { return num_layers_ = count, *this; }
  /// Of the input of every LSTM, while trained.
  GNMTOptions& dropout(double probability) { return dropout_ = probability, *this; }
  int64_t vocab_size() const { return vocab_size_; }
  int64_t hidden_size() const { return hidden_size_; }
  int64_t num_layers() const { return num_layers_; }
  double dropout() const { return dropout_; }

 private:
  int64_t vocab_size_, hidden_size_ = 1024, num_layers_ = 4;
  double dropout_ = 0.2;
};

/// Additive attention: the softmax over keys of v'_n tanh(W_q h + W_k e + b)_n summed over n, with
/// v' = g v / |v|; the result is the mean of the keys in these weights.
struct BahdanauAttentionImpl : nn::Module {
  explicit BahdanauAttentionImpl(int64_t hidden_size);
  /// query (Tq, B, H), keys (Tk, B, H), is_padding (B, Tk) bool -> (Tq, B, H)
  Tensor forward(const Tensor& query, const Tensor& keys, const Tensor& is_padding) const;

  nn::Linear linear_q, linear_k;                        // H -> H, without bias
  Tensor linear_att, normalize_scalar, normalize_bias;  // v (H), g (1), b (H)
};
using BahdanauAttention = nn::ModuleHolder<BahdanauAttentionImpl>;

struct GNMTEncoderImpl : nn::Module {
  GNMTEncoderImpl(const GNMTOptions& options, const nn::Embedding& embedder);
  /// Words (T, B) int64, lengths (B) int64 on the CPU, between 1 and T, in any order -> (T, B, H)
  Tensor forward(const Tensor& words, const Tensor& lengths) const;

  nn::ModuleList rnn_layers;  // the first in both directions: 2 H wide
  nn::Embedding embedder = nullptr;
  nn::Dropout dropout = nullptr;
};
using GNMTEncoder = nn::ModuleHolder<GNMTEncoderImpl>;

/// The first layer of the decoder, and where it looks.
struct RecurrentAttentionImpl : nn::Module {
  explicit RecurrentAttentionImpl(const GNMTOptions& options);
  nn::LSTM rnn;
  BahdanauAttention attn;
};
using RecurrentAttention = nn::ModuleHolder<RecurrentAttentionImpl>;

struct GNMTClassifierImpl : nn::Module {
  explicit GNMTClassifierImpl(const GNMTOptions& options);
  nn::Linear classifier;
};
using GNMTClassifier = nn::ModuleHolder<GNMTClassifierImpl>;

struct GNMTDecoderImpl : nn::Module {
  /// {h, c} of each layer, from which the next word goes on.
  using State = std::vector<nn::LSTMImpl::State>;

  GNMTDecoderImpl(const GNMTOptions& options, const nn::Embedding& embedder);
  /// Words (T, B), context (S, B, H) of the encoder, lengths (B) of its sentences on the CPU, the
  /// state after the words before, or none -> {scores of each next word (T, B, vocab), state}
  std::tuple<Tensor, State> forward(const Tensor& words, const Tensor& context,
                                    const Tensor& lengths,
                                    const std::optional<State>& state = {}) const;

  RecurrentAttention att_rnn;
  nn::ModuleList rnn_layers;
  nn::Embedding embedder = nullptr;
  GNMTClassifier classifier;
  nn::Dropout dropout = nullptr;
};
using GNMTDecoder = nn::ModuleHolder<GNMTDecoderImpl>;

struct GNMTImpl : nn::Module {
  /// Weights and the input's biases uniform in +-0.1, those of the state 0, g = 1 / sqrt(H), b = 0.
  /// Throws ValueError for sizes below 1, fewer than two layers and a dropout that is no
  /// probability.
  explicit GNMTImpl(const GNMTOptions& options = {});
  /// Source (S, B) and target (T, B) words int64, lengths (B) of the source's sentences on the CPU
  /// -> scores (T, B, vocab) of the word that follows each of the target's.
  Tensor forward(const Tensor& source, const Tensor& lengths, const Tensor& target) const;

  GNMTOptions options;
  GNMTEncoder encoder = nullptr;
  GNMTDecoder decoder = nullptr;
};
using GNMT = nn::ModuleHolder<GNMTImpl>;

/// (1 - s) (-log p of the word that follows) + s (mean over the vocabulary of -log p), summed over
/// all words but padding, over the number of sentences. Scores (T, B, vocab), next words (T, B).
Tensor label_smoothing_loss(const Tensor& scores, const Tensor& next_words, double smoothing = 0.1);

}  // namespace notape::models
