// index_select(x, dim, index): the slices x[.., index[i], ..]; the gradient adds up over repeated
// indices.
#include "ops/core/allocate.h"
#include "ops/core/one_device.h"
#include "ops/core/wrap_dim.h"
#include "ops/index.h"
#include "ops/index/indirect.h"
#include "ops/index/places.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

OpCase draw_index_select(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4);
  sizes[place] = std::max<int64_t>(sizes[place], 1);
  const int64_t count = draw.integer(0, 5);
  OpCase one;
  one.label = format_message("dim={}, {} indices", {dim, count});
  one.arguments = {{.sizes = sizes}, Argument::index({count}, sizes[place])};
  one.call = [=](const variable_list& x) { return index_select(x[0], dim, x[1]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    std::vector<int64_t> result_sizes = sizes;
    result_sizes[place] = count;
    return plain_pick(result_sizes, x[0], [&](IndexTuple i) {
      i[place] = static_cast<int64_t>(x[1].values[static_cast<std::size_t>(i[place])]);
      return i;
    });
  };
  return one;
}

const RegisterOp index_select_row(op_row("index_select", "index", draw_index_select,
                                         Trait::Locates | Trait::Gathers));

}  // namespace

Tensor index_select(const Tensor& self, Integer dim, const Tensor& given, At at) {
  const Operation op("index_select", at);
  check_on_one_device(op, {&self, &given});
  const Tensor index = checked_index(op, given);
  if (index.dim() > 1)
    op.fail<IndexError>("Index is supposed to be a vector, but has {} dimensions", index.dim());
  const int64_t place = wrap_dim(op, dim, self.dim());
  if (self.dim() == 0) {
    if (index.numel() != 1)
      op.fail<IndexError>("Index to scalar can have only 1 value, got {} value(s)", index.numel());
    return reshape(index_select(reshape(self, {1}, at), 0, index, at), {}, at);
  }
  const Tensor vector = index.dim() == 1 ? index : reshape(index, {1}, at);
  if (is_batched(index)) return gather(self, place, gather_index(vector, self.sizes(), place), at);
  return take_at("IndexSelectBackward0", op, self, vector,
                 {.sizes = self.sizes(), .dims = {place}, .insert_at = place, .unchecked = dim});
}

Tensor IndexMembers::index_select(Integer dim, const Tensor& index, At at) const {
  return notape::index_select(self(), dim, index, at);
}

}  // namespace notape
