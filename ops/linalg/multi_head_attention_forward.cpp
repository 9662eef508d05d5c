// Multi-head attention: projections, scaled dot-product attention of each head, and a projection of
// what they give together. A. Vaswani et al., "Attention is all you need", 2017, section 3.2.2.
#include <cmath>
#include <limits>

#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/linalg.h"
#include "ops/random.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/vision.h"

namespace notape {
namespace {

constexpr double kMultiHeadAttentionForwardInfinity = std::numeric_limits<double>::infinity();

void check_input(const Operation& op, const char* name, const Tensor& x, int64_t dim) {
  if (x.dim() != dim)
    op.fail<ShapeError>("expected {} to have {} dimensions as query has, but got {}", name, dim,
                        x.dim());
}

void check_size(const Operation& op, const char* name, const Tensor& x, IntArrayRef sizes) {
  check_operands(op, {&x});
  if (x.sizes() != sizes)
    op.fail<ShapeError>("expected {} of size {}, but got {}", name, to_string(sizes),
                        to_string(x.sizes()));
}

/// What a mask adds to scores: -inf where a bool one hides.
Tensor addend(const Operation& op, const char* name, const Tensor& mask, ScalarType type) {
  if (mask.dtype() == kBool)
    return masked_fill(zeros(mask.sizes(), TensorOptions(type).device(mask.device())), mask,
                       -kMultiHeadAttentionForwardInfinity, op.at);
  if (!mask.is_floating_point())
    op.fail<DtypeError>("only bool and floating types of {} are supported, but got {}", name,
                        name_of(mask.dtype()));
  return mask;
}

/// One of the three projections: its weight and its part of the bias.
struct Projections {
  Tensor weight[3], bias[3];
};

Projections projections(const Operation& op, const Tensor& packed, const Tensor& bias,
                        const Tensor* const* separate, int64_t embed, const int64_t* widths) {
  Projections p;
  if (separate) {
    constexpr const char* kNames[] = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
    for (int i = 0; i < 3; ++i) {
      check_size(op, kNames[i], *separate[i], {embed, widths[i]});
      p.weight[i] = *separate[i];
    }
  } else {
    check_size(op, "in_proj_weight", packed, {3 * embed, embed});
    for (int i = 0; i < 3; ++i) p.weight[i] = narrow(packed, 0, i * embed, embed, op.at);
  }
  if (bias.defined()) {
    check_size(op, "in_proj_bias", bias, {3 * embed});
    for (int i = 0; i < 3; ++i) p.bias[i] = narrow(bias, 0, i * embed, embed, op.at);
  }
  return p;
}

/// Of what comes last, after dropout has drawn.
void check_output_projection(const Operation& op, const Tensor& query, const Tensor& weight,
                             const Tensor& bias) {
  const int64_t embed = query.size(2);
  if (weight.dim() != 2 || weight.size(1) != embed)
    op.fail<ShapeError>("expected out_proj_weight of size [{}, {}], but got {}", embed, embed,
                        to_string(weight.sizes()));
  check_same_type(op, query, weight);
  if (!bias.defined()) return;
  check_operands(op, {&weight, &bias});
  if (!is_expandable_to(bias.sizes(), weight.size(0)))
    op.fail<ShapeError>("expected out_proj_bias of size [{}], but got {}", weight.size(0),
                        to_string(bias.sizes()));
  check_same_type(op, query, bias);
}

/// (steps, N, heads width) -> (N, heads, steps, width)
Tensor by_head(const Tensor& x, int64_t heads, At at) {
  const int64_t steps = x.size(0), batch = x.size(1);
  return permute(reshape(x, {steps, batch, heads, x.size(2) / heads}, at), {1, 2, 0, 3}, at);
}

/// One step more: `last` (1, 1, E) for each of the batch.
Tensor with_step(const Operation& op, const char* name, const Tensor& x, const Tensor& last) {
  check_size(op, name, last, {1, 1, x.size(2)});
  return cat({x, expand(last, {1, x.size(1), x.size(2)}, op.at)}, 0, op.at);
}

/// Columns of zeros behind a mask for steps that were added.
Tensor widened(const Tensor& mask, int64_t steps, At at) {
  return mask.size(-1) == steps ? mask : constant_pad_nd(mask, {0, steps - mask.size(-1)}, 0, at);
}

}  // namespace

std::tuple<Tensor, Tensor> multi_head_attention_forward(
    const Tensor& query, const Tensor& key, const Tensor& value, Integer embed_dim_to_check,
    Integer num_heads, const Tensor& in_proj_weight, const Tensor& in_proj_bias,
    const Tensor& bias_k, const Tensor& bias_v, bool add_zero_attn, double dropout_p,
    const Tensor& out_proj_weight, const Tensor& out_proj_bias, bool training,
    const Tensor& key_padding_mask, bool need_weights, const Tensor& attn_mask,
    bool use_separate_proj_weight, const Tensor& q_proj_weight, const Tensor& k_proj_weight,
    const Tensor& v_proj_weight, const Tensor& static_k, const Tensor& static_v,
    bool average_attn_weights, bool is_causal, At at) {
  const Operation op("multi_head_attention_forward", at);
  check_operands(op, {&query, &key, &value, &out_proj_weight});
  if (query.dim() != 2 && query.dim() != 3)
    op.fail<ShapeError>("expected query to be unbatched 2-D or batched 3-D, but got {} dimensions",
                        query.dim());
  check_input(op, "key", key, query.dim());
  check_input(op, "value", value, query.dim());
  if (query.dim() == 2) {
    const auto batched = [&](const Tensor& x) { return x.defined() ? unsqueeze(x, 0, at) : x; };
    auto [output, weights] = multi_head_attention_forward(
        unsqueeze(query, 1, at), unsqueeze(key, 1, at), unsqueeze(value, 1, at), embed_dim_to_check,
        num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p,
        out_proj_weight, out_proj_bias, training, batched(key_padding_mask), need_weights,
        attn_mask, use_separate_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, static_k,
        static_v, average_attn_weights, is_causal, at);
    return {squeeze(output, 1, at), weights.defined() ? squeeze(weights, 0, at) : weights};
  }
  const int64_t steps = query.size(0), batch = query.size(1), embed = query.size(2);
  if (embed != embed_dim_to_check)
    op.fail<ShapeError>("was expecting embedding dimension of {}, but got {}", embed_dim_to_check,
                        embed);
  if (num_heads <= 0 || embed % num_heads != 0)
    op.fail<ValueError>("embed_dim {} not divisible by num_heads {}", embed, num_heads);
  if (key.size(0) != value.size(0) || key.size(1) != batch || value.size(1) != batch)
    op.fail<ShapeError>("sequences and batches of query {}, key {} and value {} do not match",
                        to_string(query.sizes()), to_string(key.sizes()), to_string(value.sizes()));
  if (is_causal && !attn_mask.defined())
    op.fail<ValueError>("need attn_mask if specifying the is_causal hint");
  if (bias_k.defined() != bias_v.defined())
    op.fail<ValueError>("bias_k and bias_v are given together");
  check_output_projection(op, query, out_proj_weight, out_proj_bias);
  const Composite composite({&query, &key, &value, &in_proj_weight, &in_proj_bias, &bias_k, &bias_v,
                             &out_proj_weight, &out_proj_bias, &q_proj_weight, &k_proj_weight,
                             &v_proj_weight, &static_k, &static_v, &attn_mask, &key_padding_mask});

  const Tensor* const separate[] = {&q_proj_weight, &k_proj_weight, &v_proj_weight};
  const int64_t widths[] = {embed, key.size(2), value.size(2)};
  const Projections p = projections(op, in_proj_weight, in_proj_bias,
                                    use_separate_proj_weight ? separate : nullptr, embed, widths);
  const Tensor q = by_head(linear(query, p.weight[0], p.bias[0], at), num_heads, at);
  Tensor k = linear(key, p.weight[1], p.bias[1], at);
  Tensor v = linear(value, p.weight[2], p.bias[2], at);
  if (bias_k.defined()) {
    k = with_step(op, "bias_k", k, bias_k);
    v = with_step(op, "bias_v", v, bias_v);
  }
  const int64_t width = embed / num_heads;
  const auto heads_of = [&](const char* name, const Tensor& projected, const Tensor& given) {
    if (!given.defined()) return by_head(projected, num_heads, at);
    check_size(op, name, given,
               {size_product(op, {batch, num_heads}), given.dim() == 3 ? given.size(1) : 0, width});
    return reshape(given, {batch, num_heads, given.size(1), width}, at);
  };
  k = heads_of("static_k", k, static_k);
  v = heads_of("static_v", v, static_v);
  if (k.size(2) != v.size(2)) op.fail<ShapeError>("static_k and static_v differ in length");
  if (add_zero_attn) {
    k = constant_pad_nd(k, {0, 0, 0, 1}, 0, at);
    v = constant_pad_nd(v, {0, 0, 0, 1}, 0, at);
  }

  const int64_t reads = k.size(2);
  Tensor mask;
  if (attn_mask.defined()) {
    const Tensor added = addend(op, "attn_mask", attn_mask, query.dtype());
    if (added.dim() == 2)
      check_size(op, "attn_mask", added, {steps, key.size(0)});
    else
      check_size(op, "attn_mask", added,
                 {size_product(op, {batch, num_heads}), steps, key.size(0)});
    mask = widened(added, reads, at);
    if (mask.dim() == 3) mask = reshape(mask, {batch, num_heads, steps, reads}, at);
  }
  if (key_padding_mask.defined()) {
    check_size(op, "key_padding_mask", key_padding_mask, {batch, key.size(0)});
    const Tensor hidden =
        reshape(widened(addend(op, "key_padding_mask", key_padding_mask, query.dtype()), reads, at),
                {batch, 1, 1, reads}, at);
    mask = mask.defined() ? add(mask, hidden, 1, at) : hidden;
  }
  if (mask.defined()) mask = mask.to(query.dtype());

  const auto joined = [&](const Tensor& of_heads) {
    return linear(reshape(permute(of_heads, {2, 0, 1, 3}, at), {steps, batch, embed}, at),
                  out_proj_weight, out_proj_bias, at);
  };
  const double dropped = training ? dropout_p : 0;
  if (!need_weights)
    return {joined(scaled_dot_product_attention(q, k, v, mask, dropped, false, {}, false, at)), {}};
  Tensor scores = mul(matmul(q, transpose(k, -2, -1, at), at), 1 / std::sqrt(double(width)), at);
  if (mask.defined()) scores = add(scores, mask, 1, at);
  const Tensor weights = dropout(softmax(scores, -1, at), dropped, training, at);
  return {joined(matmul(weights, v, at)),
          average_attn_weights ? mean(weights, {1}, false, at) : weights};
}

}  // namespace notape
