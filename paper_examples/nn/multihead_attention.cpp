#include "paper_examples/nn/multihead_attention.h"

#include <fmt/ostream.h>

#include "ops/linalg.h"
#include "paper_examples/nn/init.h"

namespace notape::nn {

MultiheadAttentionImpl::MultiheadAttentionImpl(const MultiheadAttentionOptions& o) : options(o) {
  const int64_t width = o.embed_dim();
  if (o.num_heads() < 1 || width < 1 || width % o.num_heads() != 0)
    throw ValueError("MultiheadAttention: {} heads do not divide embed_dim {}", o.num_heads(),
                     width);
  const auto weight = [](IntArrayRef size) { return init::xavier_uniform_(empty(size)); };
  const bool is_one = o.kdim() == width && o.vdim() == width;
  in_proj_weight =
      register_parameter("in_proj_weight", is_one ? weight({3 * width, width}) : Tensor());
  q_proj_weight = register_parameter("q_proj_weight", is_one ? Tensor() : weight({width, width}));
  k_proj_weight =
      register_parameter("k_proj_weight", is_one ? Tensor() : weight({width, o.kdim()}));
  v_proj_weight =
      register_parameter("v_proj_weight", is_one ? Tensor() : weight({width, o.vdim()}));
  in_proj_bias = register_parameter("in_proj_bias", o.bias() ? zeros({3 * width}) : Tensor());
  const auto learned = [&] {
    return o.add_bias_kv() ? init::xavier_normal_(empty({1, 1, width})) : Tensor();
  };
  bias_k = register_parameter("bias_k", learned());
  bias_v = register_parameter("bias_v", learned());
  out_proj = register_module("out_proj", Linear(LinearOptions(width, width).bias(o.bias())));
  if (o.bias()) init::zeros_(out_proj->bias);
}

std::tuple<Tensor, Tensor> MultiheadAttentionImpl::forward(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& key_padding_mask,
    bool need_weights, const Tensor& attn_mask, bool average_attn_weights) const {
  return multi_head_attention_forward(
      query, key, value, options.embed_dim(), options.num_heads(), in_proj_weight, in_proj_bias,
      bias_k, bias_v, options.add_zero_attn(), options.dropout(), out_proj->weight, out_proj->bias,
      is_training(), key_padding_mask, need_weights, attn_mask, !in_proj_weight.defined(),
      q_proj_weight, k_proj_weight, v_proj_weight, {}, {}, average_attn_weights);
}

void MultiheadAttentionImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "MultiheadAttention(embed_dim={}, num_heads={}, dropout={}, bias={})",
             options.embed_dim(), options.num_heads(), options.dropout(), options.bias());
}

}  // namespace notape::nn
