#include "paper_examples/models/gnmt.h"

#include <cmath>

#include "ops/ops.h"
#include "paper_examples/nn/init.h"
#include "paper_examples/nn/packed_sequence.h"

namespace notape::models {
namespace {

using nn::LSTM;
using nn::LSTMImpl;

constexpr double kUniform = 0.1;    // bound of the initial values
constexpr double kMasked = -65504;  // a score that no word reaches; the least float16

/// With the benchmark's initial values.
LSTM make_lstm(const nn::LSTMOptions& options) {
  const LSTM lstm(options);
  for (const auto& [name, tensor] : lstm->named_parameters())
    name.starts_with("bias_hh") ? nn::init::zeros_(tensor)
                                : nn::init::uniform_(tensor, -kUniform, kUniform);
  return lstm;
}

nn::Linear make_linear(int64_t in, int64_t out, bool has_bias) {
  const nn::Linear linear(nn::LinearOptions(in, out).bias(has_bias));
  for (const Tensor& tensor : linear->parameters()) nn::init::uniform_(tensor, -kUniform, kUniform);
  return linear;
}

nn::Embedding make_embedding(const GNMTOptions& o) {
  const nn::Embedding embedding(
      nn::EmbeddingOptions(o.vocab_size(), o.hidden_size()).padding_idx(GNMTOptions::kPad));
  nn::init::uniform_(embedding->weight, -kUniform, kUniform);
  const NoGradGuard no_grad;
  embedding->weight.select(0, GNMTOptions::kPad).zero_();
  return embedding;
}

const GNMTOptions& checked(const GNMTOptions& o) {
  if (o.vocab_size() < 1 || o.hidden_size() < 1 || o.num_layers() < 2)
    throw ValueError(
        "GNMT: vocab_size {} and hidden_size {} have to be above 0, num_layers {} "
        "above 1",
        o.vocab_size(), o.hidden_size(), o.num_layers());
  return o;
}

}  // namespace

BahdanauAttentionImpl::BahdanauAttentionImpl(int64_t hidden_size)
    : linear_q(register_module("linear_q", make_linear(hidden_size, hidden_size, false))),
      linear_k(register_module("linear_k", make_linear(hidden_size, hidden_size, false))) {
  linear_att = register_parameter("linear_att",
                                  nn::init::uniform_(empty({hidden_size}), -kUniform, kUniform));
  normalize_scalar = register_parameter("normalize_scalar",
                                        full({1}, 1 / std::sqrt(static_cast<double>(hidden_size))));
  normalize_bias = register_parameter("normalize_bias", zeros({hidden_size}));
}

Tensor BahdanauAttentionImpl::forward(const Tensor& query, const Tensor& keys,
                                      const Tensor& is_padding) const {
  const Tensor by_sentence = keys.transpose(0, 1);                               // (B, Tk, H)
  const Tensor asked = linear_q(query.transpose(0, 1)).unsqueeze(2);             // (B, Tq, 1, H)
  const Tensor offered = (linear_k(by_sentence) + normalize_bias).unsqueeze(1);  // (B, 1, Tk, H)
  const Tensor direction = linear_att * (normalize_scalar / linear_att.norm());
  Tensor scores = matmul(tanh(asked + offered), direction);  // (B, Tq, Tk)
  scores.masked_fill_(is_padding.unsqueeze(1), kMasked);
  return bmm(softmax(scores, -1), by_sentence).transpose(0, 1);
}

GNMTEncoderImpl::GNMTEncoderImpl(const GNMTOptions& o, const nn::Embedding& embedding)
    : rnn_layers(register_module("rnn_layers", nn::ModuleList())),
      embedder(register_module("embedder", embedding)),
      dropout(register_module("dropout", nn::Dropout(o.dropout()))) {
  const int64_t width = o.hidden_size();
  rnn_layers->push_back(make_lstm(nn::LSTMOptions(width, width).bidirectional(true)));
  rnn_layers->push_back(make_lstm({2 * width, width}));
  for (int64_t layer = 2; layer < o.num_layers(); ++layer)
    rnn_layers->push_back(make_lstm({width, width}));
}

Tensor GNMTEncoderImpl::forward(const Tensor& words, const Tensor& lengths) const {
  using namespace nn::utils::rnn;
  const auto layer = [&](std::size_t i) -> LSTMImpl& { return rnn_layers->at<LSTM>(i); };
  const auto packed = pack_padded_sequence(dropout(embedder(words)), lengths, false, false);
  const auto both = std::get<0>(layer(0).forward_with_packed_input(packed));
  // The batch may be longer than the longest of its sentences.
  Tensor x = std::get<0>(pad_packed_sequence(both, false, 0, words.size(0)));  // (T, B, 2 H)
  x = std::get<0>(layer(1).forward(dropout(x)));                               // (T, B, H)
  for (std::size_t i = 2; i < rnn_layers->size(); ++i)
    x = std::get<0>(layer(i).forward(dropout(x))) + x;
  return x;
}

RecurrentAttentionImpl::RecurrentAttentionImpl(const GNMTOptions& o)
    : rnn(register_module("rnn", make_lstm({o.hidden_size(), o.hidden_size()}))),
      attn(register_module("attn", BahdanauAttention(o.hidden_size()))) {}

GNMTClassifierImpl::GNMTClassifierImpl(const GNMTOptions& o)
    : classifier(
          register_module("classifier", make_linear(o.hidden_size(), o.vocab_size(), true))) {}

GNMTDecoderImpl::GNMTDecoderImpl(const GNMTOptions& o, const nn::Embedding& embedding)
    : att_rnn(register_module("att_rnn", RecurrentAttention(o))),
      rnn_layers(register_module("rnn_layers", nn::ModuleList())),
      embedder(register_module("embedder", embedding)),
      classifier(register_module("classifier", GNMTClassifier(o))),
      dropout(register_module("dropout", nn::Dropout(o.dropout()))) {
  for (int64_t layer = 1; layer < o.num_layers(); ++layer)
    rnn_layers->push_back(make_lstm({2 * o.hidden_size(), o.hidden_size()}));
}

std::tuple<Tensor, GNMTDecoderImpl::State> GNMTDecoderImpl::forward(
    const Tensor& words, const Tensor& context, const Tensor& lengths,
    const std::optional<State>& state) const {
  if (state && state->size() != rnn_layers->size() + 1)
    throw ValueError("GNMTDecoder: the state has {} layers, the decoder {}", state->size(),
                     rnn_layers->size() + 1);
  State after;
  const auto run = [&](LSTMImpl& lstm, const Tensor& input) {
    const auto before = state ? std::optional((*state)[after.size()]) : std::nullopt;
    const auto [output, last] = lstm.forward(dropout(input), before);
    after.push_back(last);
    return output;
  };
  const Tensor is_padding = arange(context.size(0)) >= lengths.to(kInt64).unsqueeze(1);  // (B, S)
  Tensor x = run(*att_rnn->rnn, embedder(words));
  const Tensor seen = att_rnn->attn(x, context, is_padding.to(context.device()));
  x = run(rnn_layers->at<LSTM>(0), cat({x, seen}, 2));
  for (std::size_t i = 1; i < rnn_layers->size(); ++i)
    x = run(rnn_layers->at<LSTM>(i), cat({x, seen}, 2)) + x;
  return {classifier->classifier(x), std::move(after)};
}

GNMTImpl::GNMTImpl(const GNMTOptions& o) : options(checked(o)) {
  const nn::Embedding shared = make_embedding(o);
  encoder = register_module("encoder", GNMTEncoder(o, shared));
  decoder = register_module("decoder", GNMTDecoder(o, shared));
}

Tensor GNMTImpl::forward(const Tensor& source, const Tensor& lengths, const Tensor& target) const {
  return std::get<0>(decoder->forward(target, encoder(source, lengths), lengths));
}

Tensor label_smoothing_loss(const Tensor& scores, const Tensor& next_words, double smoothing) {
  const Tensor words = next_words.reshape({-1});                              // (T B)
  const Tensor log_p = log_softmax(scores.reshape({words.size(0), -1}), -1);  // (T B, vocab)
  const Tensor is_padding = words.eq(GNMTOptions::kPad);
  const Tensor right = -log_p.gather(1, words.unsqueeze(1)).squeeze(1).masked_fill(is_padding, 0);
  const Tensor all = -log_p.mean(-1).masked_fill(is_padding, 0);
  return ((1 - smoothing) * right + smoothing * all).sum() /
         static_cast<double>(next_words.size(1));
}

}  // namespace notape::models
