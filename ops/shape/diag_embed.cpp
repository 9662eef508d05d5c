// diag_embed(x, offset, dim1, dim2): zeros with x as that diagonal; the derivative takes it out
// again.
#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

struct Diagonal {
  int64_t offset, dim1, dim2;  // of the result, from the front
};

constexpr auto kDiagEmbedDerivative =
    derivative("DiagEmbedBackward0",
               movement([](const Tensor& grad,
                           const Diagonal& d) { return diagonal(grad, d.offset, d.dim1, d.dim2); },
                        [](const Tensor& tangent, const Diagonal& d) {
                          return diag_embed(tangent, d.offset, d.dim1, d.dim2);
                        }));

/// {dim1, dim2} of a result whose other dimensions are `rest`.
std::vector<int64_t> embedded_sizes(std::vector<int64_t> rest, int64_t size, int64_t dim1,
                                    int64_t dim2) {
  for (const int64_t dim : {std::min(dim1, dim2), std::max(dim1, dim2)})
    rest.insert(rest.begin() + dim, size);
  return rest;
}

OpCase draw_diag_embed(Draw& draw) {
  const auto sizes = draw.shape(1, 3);
  const auto rank = static_cast<int64_t>(sizes.size()) + 1;
  const int64_t first = draw.integer(0, rank - 1), other = draw.integer(0, rank - 2);
  const int64_t second = other < first ? other : other + 1;
  const int64_t offset = draw.integer(-2, 2);
  OpCase one;
  one.label = format_message("offset={}, dim1={}, dim2={}", {offset, first, second});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return diag_embed(x[0], offset, first - rank, second); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const std::vector<int64_t> rest(sizes.begin(), sizes.end() - 1);
    PlainTensor<T> result(embedded_sizes(rest, sizes.back() + std::abs(offset), first, second));
    for_each_index(result.sizes, [&](const IndexTuple& i) {
      const int64_t row = i[static_cast<std::size_t>(first)];
      if (i[static_cast<std::size_t>(second)] - row != offset) return;
      IndexTuple from;
      for (int64_t d = 0; d < rank; ++d)
        if (d != first && d != second) from.push_back(i[static_cast<std::size_t>(d)]);
      from.push_back(offset < 0 ? row + offset : row);
      result.values[flat_index(result.sizes, i)] = x[0].values[flat_index(sizes, from)];
    });
    return result;
  };
  return one;
}

const RegisterOp diag_embed_row(op_row("diag_embed", "shape", draw_diag_embed, Trait::Locates));

}  // namespace

Tensor diag_embed(const Tensor& self, Integer offset, Integer dim1, Integer dim2, At at) {
  const Operation op("diag_embed", at);
  check_operand(op, self);
  if (self.dim() == 0) op.fail<IndexError>("a 0-dim tensor has no diagonal to be embedded");
  const int64_t first = wrap_dim(op, dim1, self.dim() + 1),
                second = wrap_dim(op, dim2, self.dim() + 1);
  if (first == second)
    op.fail<ShapeError>("diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  const std::vector<int64_t> rest(self.sizes().begin(), self.sizes().end() - 1);
  const std::vector<int64_t> sizes =
      embedded_sizes(rest, embedded_size(op, self.size(-1), offset), first, second);
  const Tensor result = zeros_for({&self}, geometry_of(op, sizes).sizes(), self.dtype());
  Part part(result);
  part.diagonal(offset, first, second);
  raw_copy(raw_alias(result, part.geometry()), self);
  return record(kDiagEmbedDerivative, op, result, Diagonal{offset, first, second}, self);
}

Tensor ShapeMembers::diag_embed(Integer offset, Integer dim1, Integer dim2, At at) const {
  return notape::diag_embed(self(), offset, dim1, dim2, at);
}

}  // namespace notape
