// unbind(x, dim): the views x.select(dim, i) for every i.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/pieces.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_unbind(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4);
  sizes[place] = std::max<int64_t>(sizes[place], 1);
  const bool joined = draw.boolean();
  const int64_t chosen = draw.integer(0, sizes[place] - 1);
  OpCase one;
  one.label = format_message("dim={}, {}", {dim, joined ? "joined" : std::to_string(chosen)});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) {
    const std::vector<Tensor> all = unbind(x[0], dim);
    return joined ? stack(all, dim) : all.at(static_cast<std::size_t>(chosen));
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    if (joined) return x[0];
    return plain_pick(plain_reduced(sizes, dim, false), x[0], [&](IndexTuple i) {
      i.insert(i.begin() + static_cast<std::ptrdiff_t>(place), chosen);
      return i;
    });
  };
  return one;
}

const RegisterOp unbind_row(op_row("unbind", "shape", draw_unbind, Trait::Slices));

}  // namespace

std::vector<Tensor> unbind(const Tensor& self, Integer dim, At at) {
  const Operation op("unbind", at);
  check_operand(op, self);
  if (self.dim() == 0)
    op.fail<IndexError>("Dimension specified as {} but tensor has no dimensions", dim);
  const int64_t place = wrap_dim(op, dim, self.dim());
  std::vector<Part> parts = parts_of(op, self, self.size(place));
  for (int64_t i = 0; Part & part : parts) part.select(place, i++);
  return view_pieces("UnbindBackward0", op, self, parts, {stack, place});
}

std::vector<Tensor> ShapeMembers::unbind(Integer dim, At at) const {
  return notape::unbind(self(), dim, at);
}

}  // namespace notape
