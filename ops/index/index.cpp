// index(x, {...}): x[...]. Integers, slices, None and Ellipsis give one view; tensors a copy, whose
// gradient adds up over repeated indices.
#include <algorithm>

#include "ops/core/batching.h"
#include "ops/index.h"
#include "ops/index/expression.h"
#include "ops/index/index_spec.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_index(Draw& draw) {
  const DrawnIndex drawn = draw_index_list(draw);
  OpCase one;
  one.label = drawn.label;
  one.arguments = drawn.arguments;
  one.call = [=](const variable_list& x) { return index(x[0], drawn.indices(x)); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const PlainPlaces plain = drawn.plain(x);
    return plain_pick(plain.sizes, x[0], plain.map);
  };
  return one;
}

const RegisterOp index_row(op_row("index", "index", draw_index, Trait::Locates | Trait::Gathers));

}  // namespace

namespace {

bool is_batched_index(const indexing::TensorIndex& index) {
  const auto* tensor = std::get_if<Tensor>(&index.value);
  return tensor && is_batched(*tensor);
}

/// Positions that differ between samples have no batching rule.
Tensor index_samples(const Operation& op, const Tensor& self,
                     const std::vector<indexing::TensorIndex>& indices) {
  TensorList operands = {self};
  for (const indexing::TensorIndex& index : indices)
    if (const auto* tensor = std::get_if<Tensor>(&index.value)) operands.push_back(*tensor);
  return loop_over_batch(
      op,
      [&](const TensorList& sample) {
        std::vector<indexing::TensorIndex> own = indices;
        std::size_t next = 1;
        for (indexing::TensorIndex& index : own)
          if (auto* tensor = std::get_if<Tensor>(&index.value)) *tensor = sample[next++];
        return notape::index(sample[0], own, op.at);
      },
      operands);
}

}  // namespace

Tensor index(const Tensor& self, const std::vector<indexing::TensorIndex>& indices, At at) {
  const Operation op("index", at);
  check_operand(op, self);
  if (std::any_of(indices.begin(), indices.end(), is_batched_index))
    return index_samples(op, self, indices);
  const IndexExpression expression(op, self, indices);
  const bool takes_view = !expression.is_whole || !expression.has_positions();
  const Tensor part =
      takes_view ? view_part("BasicIndexBackward0", op, self, expression.part) : self;
  if (!expression.has_positions()) return part;
  return take_at("IndexBackward0", op, part, expression.positions, expression.places);
}

Tensor IndexMembers::index(const std::vector<indexing::TensorIndex>& indices, At at) const {
  return notape::index(self(), indices, at);
}

}  // namespace notape
