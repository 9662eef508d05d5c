// flatten(x, start_dim, end_dim): those dimensions joined into one; a view if strides allow.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_flatten(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t first = rank ? draw.integer(0, rank - 1) : 0;
  const int64_t last = rank ? draw.integer(first, rank - 1) : 0;
  OpCase one;
  one.label = format_message("start_dim={}, end_dim={}", {first, last});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return flatten(x[0], first, rank ? last - rank : 0); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    if (rank == 0) result.sizes = {1};
    for (int64_t d = first; d < last; ++d) {
      result.sizes[static_cast<std::size_t>(first)] *=
          result.sizes[static_cast<std::size_t>(first + 1)];
      result.sizes.erase(result.sizes.begin() + first + 1);
    }
    return result;
  };
  return one;
}

const RegisterOp flatten_row(op_row("flatten", "shape", draw_flatten));

}  // namespace

Tensor flatten(const Tensor& self, Integer start_dim, Integer end_dim, At at) {
  const Operation op("flatten", at);
  check_operand(op, self);
  const int64_t first = wrap_dim(op, start_dim, self.dim()),
                last = wrap_dim(op, end_dim, self.dim());
  if (first > last)
    op.fail<ShapeError>("flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) return reshape(self, {1}, at);
  if (first == last) return self;
  std::vector<int64_t> sizes = self.sizes().vec();
  for (int64_t d = last; d > first; --d)
    sizes[static_cast<std::size_t>(d - 1)] *= sizes[static_cast<std::size_t>(d)];
  sizes.erase(sizes.begin() + first + 1, sizes.begin() + last + 1);
  return reshape(self, sizes, at);
}

Tensor ShapeMembers::flatten(Integer start_dim, Integer end_dim, At at) const {
  return notape::flatten(self(), start_dim, end_dim, at);
}

}  // namespace notape
