// embedding(w, indices) = w[indices], rows of a matrix. Padding and frequencies change nothing but
// derivatives: they scale what comes from each row taken.
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/index/indirect.h"
#include "ops/index/places.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

struct RowScales {
  int64_t rows, padding;
  bool by_frequency;
};

/// grad: (n, d), index: (n)
Tensor embedding_scaled(const Tensor& grad, const Tensor& index, const RowScales& p) {
  Tensor result = grad;
  if (p.by_frequency) {
    const Tensor counts =
        index_add(zeros({p.rows}, index.options()), 0, index, ones(index.sizes(), index.options()));
    result = result / unsqueeze(index_select(counts, 0, index), 1);
  }
  return masked_fill(result, unsqueeze(eq(index, p.padding), 1), 0);
}

constexpr auto kScaled =
    derivative("EmbeddingBackward0",
               selection([](const Tensor& grad, const Input<1>& index, const RowScales& p) {
                 return embedding_scaled(grad, index, p);
               }),
               not_differentiable);

OpCase draw_embedding(Draw& draw) {
  const int64_t rows = draw.integer(1, 5),
                width = draw.integer(0, 4) + 70 * (draw.integer(0, 7) / 7);
  const std::vector<int64_t> index_sizes = draw.shape(0, 3);
  OpCase one;
  one.label = "indices " + to_string(index_sizes);
  one.arguments = {{.sizes = {rows, width}}, Argument::index(index_sizes, rows)};
  one.call = [](const variable_list& x) { return embedding(x[0], x[1]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    std::vector<int64_t> sizes = index_sizes;
    sizes.push_back(width);
    return plain_pick(sizes, x[0], [&](const IndexTuple& i) {
      const IndexTuple from(i.begin(), i.end() - 1);
      return IndexTuple{static_cast<int64_t>(x[1].values[flat_index(index_sizes, from)]), i.back()};
    });
  };
  return one;
}

const RegisterOp embedding_row(op_row("embedding", "index", draw_embedding,
                                      Trait::Locates | Trait::Gathers));

}  // namespace

Tensor embedding(const Tensor& weight, const Tensor& indices, Integer padding_idx,
                 bool scale_grad_by_freq, bool sparse, At at) {
  const Operation op("embedding", at);
  check_operands(op, {&weight, &indices});
  if (weight.dim() != 2)
    op.fail<ShapeError>("'weight' must be 2-D, but has shape {}", to_string(weight.sizes()));
  if (sparse) op.fail<ValueError>("there are no sparse gradients: sparse must be false");
  const Tensor index = reshape(checked_index(op, indices), {indices.numel()}, at);
  const Composite composite({&weight});
  std::vector<int64_t> sizes = indices.sizes().vec();
  sizes.push_back(weight.size(1));
  Tensor rows = is_batched(index) ? index_select(weight, 0, index, at)
                                  : take_at("IndexSelectBackward0", op, weight, index,
                                            {.sizes = weight.sizes(), .dims = {0}, .unchecked = 0});
  if (padding_idx >= 0 || scale_grad_by_freq) {
    const Tensor copy = allocate_like(rows, rows.dtype());
    raw_copy(copy, rows);
    const RowScales scales{weight.size(0), padding_idx, scale_grad_by_freq};
    rows = record(kScaled, op, copy, scales, rows, index);
  }
  return reshape(rows, sizes, at);
}

}  // namespace notape
