// narrow(x, dim, start, length): `length` slices of x from `start` on.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_narrow(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4);
  const int64_t size = sizes[place];
  const int64_t start = draw.integer(0, size), length = draw.integer(0, size - start);
  std::vector<int64_t> result_sizes = sizes;
  result_sizes[place] = length;
  return picked_case(
      format_message("dim={}, start={}, length={}", {dim, start, length}), sizes, result_sizes,
      [=](const Tensor& x) {
        return narrow(x, dim, start < size && length % 2 ? start - size : start, length);
      },
      [=](IndexTuple i) {
        i[place] += start;
        return i;
      });
}

const RegisterOp narrow_row(op_row("narrow", "shape", draw_narrow, Trait::Locates | Trait::Slices));

}  // namespace

Tensor narrow(const Tensor& self, Integer dim, Integer start, Integer length, At at) {
  const Operation op("narrow", at);
  check_operand(op, self);
  if (self.dim() == 0) op.fail<ShapeError>("narrow() cannot be applied to a 0-dim tensor.");
  const int64_t place = wrap_dim(op, dim, self.dim());
  Part part(self);
  const int64_t size = part.size(place);
  if (length < 0) op.fail<ShapeError>("narrow(): length must be non-negative, but got {}", length);
  if (start < -size || start > size)
    op.fail<IndexError>("start out of range (expected to be in range of [{}, {}], but got {})",
                        -size, size, start);
  const int64_t first = start < 0 ? start + size : int64_t{start};
  if (length > size - first)
    op.fail<ShapeError>("start ({}) + length ({}) exceeds dimension size ({}).", start, length,
                        size);
  part.narrow(place, first, length);
  return view_part("NarrowBackward0", op, self, part);
}

Tensor ShapeMembers::narrow(Integer dim, Integer start, Integer length, At at) const {
  return notape::narrow(self(), dim, start, length, at);
}

}  // namespace notape
