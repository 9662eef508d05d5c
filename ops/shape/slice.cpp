// slice(x, dim, start, end, step): x[start:end:step] along one dimension.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_slice(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4, 0, 6);
  const int64_t size = sizes[place];
  std::optional<int64_t> start, end;
  if (draw.boolean()) start = draw.integer(-size - 1, size + 1);
  if (draw.boolean()) end = draw.integer(-size - 1, size + 1);
  const int64_t step = draw.integer(1, 3);
  std::vector<int64_t> taken;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t from = start.value_or(0), to = end.value_or(size);
    const int64_t first = std::max<int64_t>(from < 0 ? from + size : from, 0);
    if (i >= first && i < (to < 0 ? to + size : to) && (i - first) % step == 0) taken.push_back(i);
  }
  std::vector<int64_t> result_sizes = sizes;
  result_sizes[place] = static_cast<int64_t>(taken.size());
  return picked_case(
      format_message("dim={}, {}:{}:{}", {dim, start ? std::to_string(*start) : "",
                                          end ? std::to_string(*end) : "", step}),
      sizes, result_sizes, [=](const Tensor& x) { return slice(x, dim, start, end, step); },
      [=](IndexTuple i) {
        i[place] = taken[static_cast<std::size_t>(i[place])];
        return i;
      });
}

const RegisterOp slice_row(op_row("slice", "shape", draw_slice,
                                  Trait::Locates | Trait::Slices | Trait::Steps));

}  // namespace

Tensor slice(const Tensor& self, Integer dim, std::optional<Integer> start,
             std::optional<Integer> end, Integer step, At at) {
  const Operation op("slice", at);
  check_operand(op, self);
  if (self.dim() == 0) op.fail<IndexError>("slice() cannot be applied to a 0-dim tensor.");
  const int64_t place = wrap_dim(op, dim, self.dim());
  if (step <= 0) op.fail<ValueError>("slice step must be positive, but got {}", step);
  Part part(self);
  part.slice(place, start, end, step);
  return view_part("SliceBackward0", op, self, part);
}

Tensor ShapeMembers::slice(Integer dim, std::optional<Integer> start, std::optional<Integer> end,
                           Integer step, At at) const {
  return notape::slice(self(), dim, start, end, step, at);
}

}  // namespace notape
