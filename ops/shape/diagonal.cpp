// diagonal(x, offset, dim1, dim2): y[..., i] = x[.., i, .., i + offset, ..], the diagonal last.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_diagonal(Draw& draw) {
  const auto sizes = draw.shape(2, 4);
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t first = draw.integer(0, rank - 1), other = draw.integer(0, rank - 2);
  const int64_t second = other < first ? other : other + 1;
  const int64_t offset = draw.integer(-3, 3);
  std::vector<int64_t> result_sizes;
  for (int64_t d = 0; d < rank; ++d)
    if (d != first && d != second) result_sizes.push_back(sizes[static_cast<std::size_t>(d)]);
  const int64_t rows = sizes[static_cast<std::size_t>(first)];
  const int64_t columns = sizes[static_cast<std::size_t>(second)];
  const int64_t skipped_rows = offset < 0 ? -offset : 0, skipped_columns = offset > 0 ? offset : 0;
  int64_t length = 0;
  while (skipped_rows + length < rows && skipped_columns + length < columns) ++length;
  result_sizes.push_back(length);
  return picked_case(
      format_message("offset={}, dim1={}, dim2={}", {offset, first, second}), sizes, result_sizes,
      [=](const Tensor& x) { return diagonal(x, offset, first - rank, second); },
      [=](const IndexTuple& i) {
        IndexTuple from;
        for (int64_t d = 0, next = 0; d < rank; ++d) {
          if (d == first)
            from.push_back(i.back() + skipped_rows);
          else if (d == second)
            from.push_back(i.back() + skipped_columns);
          else
            from.push_back(i[static_cast<std::size_t>(next++)]);
        }
        return from;
      });
}

const RegisterOp diagonal_row(op_row("diagonal", "shape", draw_diagonal, Trait::Locates));

}  // namespace

Tensor diagonal(const Tensor& self, Integer offset, Integer dim1, Integer dim2, At at) {
  const Operation op("diagonal", at);
  check_operand(op, self);
  const int64_t first = wrap_dim(op, dim1, self.dim()), second = wrap_dim(op, dim2, self.dim());
  if (first == second)
    op.fail<ShapeError>("diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  Part part(self);
  part.diagonal(offset, first, second);
  return view_part("DiagonalBackward0", op, self, part);
}

Tensor ShapeMembers::diagonal(Integer offset, Integer dim1, Integer dim2, At at) const {
  return notape::diagonal(self(), offset, dim1, dim2, at);
}

}  // namespace notape
