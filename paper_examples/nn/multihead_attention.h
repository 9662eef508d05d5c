// MultiheadAttention: for each query the mean of values, weighted by how well their keys fit, in
// several subspaces side by side. (Vaswani et al. 2017)
#pragma once
#include <optional>
#include <tuple>

#include "paper_examples/nn/linear.h"

namespace notape::nn {

class MultiheadAttentionOptions {
 public:
  MultiheadAttentionOptions(Integer embed_dim, Integer num_heads)
      : embed_dim_(embed_dim), num_heads_(num_heads) {}
  /// Of the weights, while trained.
  MultiheadAttentionOptions& dropout(double probability) { return dropout_ = probability, *this; }
  MultiheadAttentionOptions& bias(bool has) { return bias_ = has, *this; }
  /// A learned key and value more.
  MultiheadAttentionOptions& add_bias_kv(bool on) { return add_bias_kv_ = on, *this; }
  /// A key and value of 0 more.
  MultiheadAttentionOptions& add_zero_attn(bool on) { return add_zero_attn_ = on, *this; }
  /// Widths of keys and values; embed_dim unless said.
  MultiheadAttentionOptions& kdim(Integer width) { return kdim_ = width, *this; }
  MultiheadAttentionOptions& vdim(Integer width) { return vdim_ = width, *this; }
  int64_t embed_dim() const { return embed_dim_; }
  int64_t num_heads() const { return num_heads_; }
  double dropout() const { return dropout_; }
  bool bias() const { return bias_; }
  bool add_bias_kv() const { return add_bias_kv_; }
  bool add_zero_attn() const { return add_zero_attn_; }
  int64_t kdim() const { return kdim_.value_or(embed_dim_); }
  int64_t vdim() const { return vdim_.value_or(embed_dim_); }

 private:
  int64_t embed_dim_, num_heads_;
  double dropout_ = 0;
  bool bias_ = true, add_bias_kv_ = false, add_zero_attn_ = false;
  std::optional<int64_t> kdim_, vdim_;
};

struct MultiheadAttentionImpl : Module {
  /// Weights by xavier_uniform_, biases 0, learned keys and values by xavier_normal_, as in
  /// LibTorch. Throws ValueError, when it is made, unless num_heads divides embed_dim.
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& options);
  MultiheadAttentionImpl(Integer embed_dim, Integer num_heads)
      : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
  /// query (L, N, embed_dim), key (S, N, kdim), value (S, N, vdim) -> {(L, N, embed_dim), weights
  /// (N, L, S), averaged over the heads unless that is switched off, or undefined without
  /// need_weights}. Where key_padding_mask (N, S) or attn_mask (L, S) or (N num_heads, L, S) are
  /// true, or -inf, nothing is taken.
  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Tensor& key_padding_mask = {}, bool need_weights = true,
                                     const Tensor& attn_mask = {},
                                     bool average_attn_weights = true) const;
  void pretty_print(std::ostream& out) const override;

  MultiheadAttentionOptions options;
  /// (3 embed_dim, embed_dim), or undefined if keys or values have a width of their own; then
  Tensor in_proj_weight;
  /// (embed_dim, embed_dim), (embed_dim, kdim) and (embed_dim, vdim).
  Tensor q_proj_weight, k_proj_weight, v_proj_weight;
  Tensor in_proj_bias;    // (3 embed_dim), or undefined
  Tensor bias_k, bias_v;  // (1, 1, embed_dim), or undefined
  Linear out_proj = nullptr;
};

using MultiheadAttention = ModuleHolder<MultiheadAttentionImpl>;

}  // namespace notape::nn
