// softmax(s Q K^T + M) V, with dropout of the softmax: in one computation where attention.h takes
// it, else products and a softmax, which carry the derivatives. A. Vaswani et al., "Attention is
// all you need", 2017.
#include <cmath>

#include "autograd/tensor/factories.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/linalg/attention.h"
#include "ops/random.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

/// Several heads of the query for each of `heads`.
Tensor with_heads_of(const Tensor& heads, const Tensor& query, At at) {
  if (heads.size(-3) == query.size(-3)) return heads;
  return repeat_interleave(heads, query.size(-3) / heads.size(-3), heads.dim() - 3, {}, at);
}

void check_mask(const Operation& op, const Tensor& query, const Tensor& key, const Tensor& mask,
                bool is_causal) {
  if (!mask.defined()) return;
  if (is_causal) op.fail<ValueError>("explicit attn_mask should not be set when is_causal=True");
  check_operands(op, {&query, &mask});
  if (mask.dtype() != kBool && mask.dtype() != query.dtype())
    op.fail<DtypeError>(
        "expected attn_mask dtype to be bool or to match query dtype, but got attn_mask.dtype: {} "
        "and query.dtype: {}",
        name_of(mask.dtype()), name_of(query.dtype()));
  std::vector<int64_t> scores = query.sizes().vec();
  scores.back() = key.size(-2);
  if (!is_expandable_to(IntArrayRef(mask.sizes()), scores) && mask.dim() <= query.dim())
    op.fail<ShapeError>("attn_mask of size {} does not broadcast to {}", to_string(mask.sizes()),
                        to_string(scores));
}

void check_scaled_dot_product_attention(const Operation& op, const Tensor& query, const Tensor& key,
                                        const Tensor& value, bool enable_gqa) {
  check_operands(op, {&query, &key, &value});
  check_same_type(op, query, key);
  check_same_type(op, query, value);
  if (!query.is_floating_point())
    op.fail<DtypeError>("expected floating operands, got {}", name_of(query.dtype()));
  if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2)
    op.fail<ShapeError>(
        "expected query, key, and value to all be at least 2 dimensional, but got query {}, key "
        "{}, value {}",
        to_string(query.sizes()), to_string(key.sizes()), to_string(value.sizes()));
  if (query.size(-1) != key.size(-1) || key.size(-2) != value.size(-2))
    op.fail<ShapeError>(
        "the last dimensions of query and key, and the lengths of key and value must be equal, but "
        "got query {}, key {}, value {}",
        to_string(query.sizes()), to_string(key.sizes()), to_string(value.sizes()));
  if (!enable_gqa) return;
  for (const Tensor* one : {&query, &key, &value})
    if (one->dim() < 3 || one->size(-3) == 0 || query.size(-3) % one->size(-3) != 0)
      op.fail<ShapeError>(
          "number of heads in key and value must divide the number of heads in query, but got "
          "query "
          "{}, key {}, value {}",
          to_string(query.sizes()), to_string(key.sizes()), to_string(value.sizes()));
}

struct Drawn {
  int64_t heads, length, reads, width, out;
  bool causal;
  double scale;
};

/// query (heads, L, E), key (heads, S, E), value (heads, S, Ev), mask (L, S)
template <typename T>
PlainTensor<T> plain_attention(const PlainList<T>& x, const Drawn& d, const PlainTensor<T>* mask,
                               bool is_choice) {
  PlainTensor<T> result({d.heads, d.length, d.out});
  for (int64_t row = 0; row < d.heads * d.length; ++row) {
    const int64_t head = row / d.length, i = row % d.length;
    std::vector<T> scores;
    std::vector<int64_t> places;
    for (int64_t s = 0; s < d.reads; ++s) {
      const std::size_t in_mask = static_cast<std::size_t>(i * d.reads + s);
      if ((d.causal && s > i) || (is_choice && mask->values[in_mask] == T(0))) continue;
      T score = 0;
      for (int64_t e = 0; e < d.width; ++e)
        score += x[0].values[static_cast<std::size_t>(row * d.width + e)] *
                 x[1].values[static_cast<std::size_t>((head * d.reads + s) * d.width + e)];
      scores.push_back(score * T(d.scale) + (mask && !is_choice ? mask->values[in_mask] : T(0)));
      places.push_back(s);
    }
    T sum = 0;  // scores are small numbers
    for (T& score : scores) sum += score = math::exp(score);
    for (std::size_t k = 0; k < scores.size(); ++k)
      for (int64_t e = 0; e < d.out; ++e)
        result.values[static_cast<std::size_t>(row * d.out + e)] +=
            scores[k] / sum *
            x[2].values[static_cast<std::size_t>((head * d.reads + places[k]) * d.out + e)];
  }
  return result;
}

OpCase draw_scaled_dot_product_attention(Draw& draw) {
  const int64_t heads = draw.integer(1, 2);
  const Drawn d{heads,
                draw.integer(0, 3),
                draw.integer(0, 3),
                draw.integer(1, 4),
                draw.integer(0, 3),
                draw.integer(1, 4) == 1,
                draw.real(0.25, 1)};
  const int64_t form = d.causal ? 0 : draw.integer(1, 3) - 1;  // no mask, bool, floating
  const bool plain = heads == 1 && draw.boolean();             // two dimensions
  OpCase one;
  one.label = format_message("scale={}, {}", {d.scale, d.causal    ? "causal"
                                                       : form == 1 ? "bool mask"
                                                       : form == 2 ? "mask"
                                                                   : "no mask"});
  const auto sizes = [&](int64_t rows, int64_t columns) {
    return plain ? std::vector<int64_t>{rows, columns} : std::vector<int64_t>{heads, rows, columns};
  };
  one.arguments = {{.sizes = sizes(d.length, d.width)},
                   {.sizes = sizes(d.reads, d.width)},
                   {.sizes = sizes(d.reads, d.out)}};
  if (form == 2) one.arguments.push_back({.sizes = {d.length, d.reads}});
  // A bool mask is a constant of the case: with another dtype it means something else.
  const auto choices = static_cast<uint64_t>(draw.integer(1, 1 << 20));
  const auto kept = [=](int64_t place) { return (choices >> (place % 20) & 1) != 0; };
  one.call = [=](const variable_list& x) {
    Tensor mask = form == 2 ? x[3] : Tensor();
    if (form == 1) {
      mask = zeros({d.length, d.reads}, kBool);
      for (int64_t i = 0; i < mask.numel(); ++i) mask.impl().data_as<bool>()[i] = kept(i);
      mask = to(mask, x[0].device().of_samples());
    }
    return scaled_dot_product_attention(x[0], x[1], x[2], mask, 0, d.causal, d.scale);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> mask({d.length, d.reads});
    for (std::size_t i = 0; i < mask.values.size(); ++i)
      mask.values[i] = form == 2 ? x[3].values[i] : T(kept(static_cast<int64_t>(i)) ? 1 : 0);
    PlainTensor<T> result = plain_attention(x, d, form > 0 ? &mask : nullptr, form == 1);
    if (plain) result.sizes.erase(result.sizes.begin());
    return result;
  };
  return one;
}

const RegisterOp scaled_dot_product_attention_row({.name = "scaled_dot_product_attention",
                                                   .family = "linalg",
                                                   .draw = draw_scaled_dot_product_attention,
                                                   .traits = Trait::Accumulates});

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa, At at) {
  if (in_autocast(query)) [[unlikely]]
    return autocast_to_low(
        at,
        [&](auto... x) {
          return scaled_dot_product_attention(x..., dropout_p, is_causal, scale, enable_gqa, at);
        },
        query, key, value, attn_mask);
  const Operation op("scaled_dot_product_attention", at);
  check_scaled_dot_product_attention(op, query, key, value, enable_gqa);
  check_mask(op, query, key, attn_mask, is_causal);
  if (!(dropout_p >= 0 && dropout_p <= 1))
    op.fail<ValueError>("dropout probability has to be between 0 and 1, but got {}", dropout_p);
  const Composite composite({&query, &key, &value, &attn_mask});
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  const Tensor keys = enable_gqa ? with_heads_of(key, query, at) : key;
  const Tensor values = enable_gqa ? with_heads_of(value, query, at) : value;
  const Attending in{query, keys, values, attn_mask, factor, is_causal};
  if (dropout_p == 0 && is_attended_whole(in)) return attend(op, in);
  Tensor weights = attention_weights(in, at);
  if (dropout_p > 0) weights = dropout(weights, dropout_p, true, at);
  return matmul(weights, values, at);
}

}  // namespace notape
