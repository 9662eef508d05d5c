// split_with_sizes(x, sizes, dim): views of sizes[i] slices each, one behind the other.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/pieces.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_split_with_sizes(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4);
  std::vector<int64_t> lengths;
  sizes[place] = 0;
  for (int64_t i = draw.integer(1, 4); i > 0; --i) {
    lengths.push_back(draw.integer(0, 3));
    sizes[place] += lengths.back();
  }
  const bool joined = draw.boolean();
  const auto chosen =
      static_cast<std::size_t>(draw.integer(0, static_cast<int64_t>(lengths.size()) - 1));
  OpCase one;
  one.label = format_message("split_sizes={}, dim={}, {}",
                             {to_string(lengths), dim, joined ? "joined" : std::to_string(chosen)});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) {
    const std::vector<Tensor> all = split_with_sizes(x[0], lengths, dim);
    return joined ? cat(all, dim) : all[chosen];
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    if (joined) return x[0];
    std::vector<int64_t> result_sizes = sizes;
    result_sizes[place] = lengths[chosen];
    int64_t start = 0;
    for (std::size_t i = 0; i < chosen; ++i) start += lengths[i];
    return plain_pick(result_sizes, x[0], [&](IndexTuple i) {
      i[place] += start;
      return i;
    });
  };
  return one;
}

const RegisterOp split_with_sizes_row(op_row("split_with_sizes", "shape", draw_split_with_sizes,
                                             Trait::Slices));

}  // namespace

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, Integer dim,
                                     At at) {
  const Operation op("split_with_sizes", at);
  check_operand(op, self);
  if (self.dim() == 0)
    op.fail<ShapeError>("split_with_sizes expects at least a 1-dimensional tensor");
  const int64_t place = wrap_dim(op, dim, self.dim()), size = self.size(place);
  int64_t rest = size;
  for (const int64_t length : split_sizes) {
    if (length < 0)
      op.fail<ShapeError>(
          "split_with_sizes expects split_sizes have only non-negative entries, but got "
          "split_sizes={}",
          to_string(split_sizes));
    if (length > rest) rest = -1;
    if (rest >= 0) rest -= length;
  }
  if (rest != 0)
    op.fail<ShapeError>(
        "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at "
        "dimension {}), but got split_sizes={}",
        size, place, to_string(split_sizes));
  std::vector<Part> parts(split_sizes.size(), Part(self));
  int64_t start = 0;
  for (std::size_t i = 0; i < parts.size(); start += split_sizes[i++])
    parts[i].narrow(place, start, split_sizes[i]);
  return view_pieces("SplitWithSizesBackward0", op, self, parts, {cat, place});
}

std::vector<Tensor> ShapeMembers::split_with_sizes(IntArrayRef split_sizes, Integer dim,
                                                   At at) const {
  return notape::split_with_sizes(self(), split_sizes, dim, at);
}

}  // namespace notape
