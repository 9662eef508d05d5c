// select(x, dim, index), x[index]: one slice of x, without that dimension.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_select(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4);
  const int64_t size = sizes[place] = std::max<int64_t>(sizes[place], 1);
  const int64_t index = draw.integer(-size, size - 1);
  return picked_case(
      format_message("dim={}, index={}", {dim, index}), sizes, plain_reduced(sizes, dim, false),
      [=](const Tensor& x) { return place == 0 && dim == 0 ? x[index] : select(x, dim, index); },
      [=](IndexTuple i) {
        i.insert(i.begin() + static_cast<std::ptrdiff_t>(place), index < 0 ? index + size : index);
        return i;
      });
}

const RegisterOp select_row(op_row("select", "shape", draw_select, Trait::Locates | Trait::Slices));

}  // namespace

Tensor select(const Tensor& self, Integer dim, Integer index, At at) {
  const Operation op("select", at);
  check_operand(op, self);
  if (self.dim() == 0) op.fail<IndexError>("select() cannot be applied to a 0-dim tensor.");
  const int64_t place = wrap_dim(op, dim, self.dim());
  Part part(self);
  part.select(place, wrap_index(op, index, part.size(place), dim));
  return view_part("SelectBackward0", op, self, part);
}

Tensor ShapeMembers::select(Integer dim, Integer index, At at) const {
  return notape::select(self(), dim, index, at);
}
Tensor IndexMembers::operator[](IndexAt index) const {
  return notape::select(self(), 0, index.value, index.at);
}

}  // namespace notape
