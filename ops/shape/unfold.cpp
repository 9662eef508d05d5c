// unfold(x, d, size, step): y[.., i, .., j] = x[.., i step + j, ..], windows of one dimension, j
// last.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_unfold(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4, 0, 6);
  const int64_t size = draw.integer(0, sizes[place]), step = draw.integer(1, 3);
  std::vector<int64_t> result_sizes = sizes;
  result_sizes[place] = (sizes[place] - size) / step + 1;
  result_sizes.push_back(size);
  return picked_case(
      format_message("dim={}, size={}, step={}", {dim, size, step}), sizes, result_sizes,
      [=](const Tensor& x) { return unfold(x, dim, size, step); },
      [=](IndexTuple i) {
        i[place] = i[place] * step + i.back();
        i.pop_back();
        return i;
      });
}

const RegisterOp unfold_row(op_row("unfold", "shape", draw_unfold,
                                   Trait::Locates | Trait::Overlaps));

}  // namespace

Tensor unfold(const Tensor& self, Integer dimension, Integer size, Integer step, At at) {
  const Operation op("unfold", at);
  check_operand(op, self);
  const int64_t place = wrap_dim(op, dimension, self.dim());
  const int64_t most = self.dim() == 0 ? 1 : self.size(place);
  if (size < 0) op.fail<ShapeError>("size is {} but must be >= 0", size);
  if (size > most)
    op.fail<ShapeError>("maximum size for tensor at dimension {} is {} but size is {}", place, most,
                        size);
  if (step <= 0) op.fail<ValueError>("step is {} but must be > 0", step);
  Part part(self);
  if (self.dim() == 0) part.unsqueeze(0);
  part.unfold(place, size, step);
  if (self.dim() == 0) part.select(0, 0);  // one window of the number itself
  return view_part("UnfoldBackward0", op, self, part);
}

Tensor ShapeMembers::unfold(Integer dimension, Integer size, Integer step, At at) const {
  return notape::unfold(self(), dimension, size, step, at);
}

}  // namespace notape
