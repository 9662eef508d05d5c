#include "paper_examples/nn/transformer.h"

#include "ops/ops.h"

namespace notape::nn {

TransformerEncoderLayerImpl::TransformerEncoderLayerImpl(const TransformerEncoderLayerOptions& o)
    : options(o),
      self_attn(register_module(
          "self_attn",
          MultiheadAttention(
              MultiheadAttentionOptions(o.d_model(), o.nhead()).dropout(o.dropout())))),
      linear1(register_module("linear1", Linear(o.d_model(), o.dim_feedforward()))),
      dropout(register_module("dropout", Dropout(o.dropout()))),
      linear2(register_module("linear2", Linear(o.dim_feedforward(), o.d_model()))),
      norm1(register_module("norm1", LayerNorm(LayerNormOptions({o.d_model()})))),
      norm2(register_module("norm2", LayerNorm(LayerNormOptions({o.d_model()})))),
      dropout1(register_module("dropout1", Dropout(o.dropout()))),
      dropout2(register_module("dropout2", Dropout(o.dropout()))) {}

Tensor TransformerEncoderLayerImpl::forward(const Tensor& src, const Tensor& src_mask,
                                            const Tensor& src_key_padding_mask) const {
  const Tensor attended =
      std::get<0>(self_attn(src, src, src, src_key_padding_mask, false, src_mask));
  const Tensor x = norm1(src + dropout1(attended));
  return norm2(x + dropout2(linear2(dropout(relu(linear1(x))))));
}

TransformerEncoderImpl::TransformerEncoderImpl(const TransformerEncoderOptions& o)
    : options(o), layers(register_module("layers", ModuleList())) {
  if (o.num_layers() < 1)
    throw ValueError("TransformerEncoder: num_layers {} has to be above 0", o.num_layers());
  for (int64_t i = 0; i < o.num_layers(); ++i)
    layers->push_back(TransformerEncoderLayer(o.encoder_layer()));
}

Tensor TransformerEncoderImpl::forward(Tensor src, const Tensor& src_mask,
                                       const Tensor& src_key_padding_mask) const {
  for (std::size_t i = 0; i < layers->size(); ++i)
    src = layers->at<TransformerEncoderLayer>(i).forward(src, src_mask, src_key_padding_mask);
  return src;
}

}  // namespace notape::nn
