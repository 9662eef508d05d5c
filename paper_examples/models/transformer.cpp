#include "paper_examples/models/transformer.h"

#include "ops/ops.h"
#include "paper_examples/nn/init.h"

namespace notape::models {
namespace {

nn::Embedding make_embedding(int64_t rows, int64_t width) {
  const nn::Embedding embedding(rows, width);
  nn::init::normal_(embedding->weight, 0, 0.02);
  return embedding;
}

nn::TransformerEncoder make_encoder(const TransformerOptions& o) {
  const auto layer = nn::TransformerEncoderLayerOptions(o.d_model(), o.nhead())
                         .dim_feedforward(4 * o.d_model())
                         .dropout(o.dropout());
  return nn::TransformerEncoder(nn::TransformerEncoderOptions(layer, o.num_layers()));
}

}  // namespace

TransformerImpl::TransformerImpl(const TransformerOptions& o)
    : options(o),
      embedder(register_module("embedder", make_embedding(o.vocab_size(), o.d_model()))),
      positions(register_module("positions", make_embedding(o.max_length(), o.d_model()))),
      dropout(register_module("dropout", nn::Dropout(o.dropout()))),
      encoder(register_module("encoder", make_encoder(o))),
      fc(register_module("fc", nn::Linear(o.d_model(), o.vocab_size()))) {}

Tensor TransformerImpl::forward(const Tensor& words) const {
  const int64_t length = words.size(0);
  const auto place = TensorOptions(kInt64).device(words.device());
  const Tensor steps = arange(length, place);
  const Tensor is_later = steps.unsqueeze(0) > steps.unsqueeze(1);   // (T, T)
  const Tensor x = embedder(words) + positions(steps).unsqueeze(1);  // (T, B, d_model)
  return fc(encoder(dropout(x), is_later));
}

}  // namespace notape::models
