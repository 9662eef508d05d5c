// split(x, size, dim): views of `size` slices each, the last one maybe of fewer. chunk(x, n, dim):
// at most n such views of equal size.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/pieces.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

/// `count` views of `length` slices each, as far as the slices reach.
TensorList pieces(const Operation& op, const Tensor& self, int64_t dim, int64_t length,
                  int64_t count) {
  std::vector<Part> parts = parts_of(op, self, count);
  for (int64_t start = 0; Part & part : parts) {
    part.narrow(dim, start, std::min(length, part.size(dim) - start));
    start += length;
  }
  return view_pieces("SplitBackward0", op, self, parts, {cat, dim});
}

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// One piece chosen at random, or all of them joined again: the plain reference follows the
/// definition, slices [first, first + length) of the dimension.
template <typename Cut>
OpCase draw_cut(Draw& draw, const char* parameter, Cut cut, bool by_count) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4, 0, 6);
  const int64_t size = sizes[place], number = draw.integer(1, 4);
  int64_t length = number;
  if (by_count)
    for (length = 0; length * number < size;) ++length;
  const int64_t count = length == 0 ? number : std::max<int64_t>((size + length - 1) / length, 1);
  const bool joined = draw.boolean();
  const int64_t chosen = draw.integer(0, count - 1);
  OpCase one;
  one.label = format_message("{}={}, dim={}, {}",
                             {parameter, number, dim, joined ? "joined" : std::to_string(chosen)});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) {
    const std::vector<Tensor> all = cut(x[0], number, dim);
    return joined ? cat(all, dim) : all.at(static_cast<std::size_t>(chosen));
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    if (joined) return x[0];
    std::vector<int64_t> result_sizes = sizes;
    result_sizes[place] = std::min(length, size - chosen * length);
    return plain_pick(result_sizes, x[0], [&](IndexTuple i) {
      i[place] += chosen * length;
      return i;
    });
  };
  return one;
}

OpCase draw_split(Draw& draw) {
  return draw_cut(
      draw, "split_size",
      [](const Tensor& x, int64_t size, int64_t dim) { return split(x, size, dim); }, false);
}
OpCase draw_chunk(Draw& draw) {
  return draw_cut(
      draw, "chunks", [](const Tensor& x, int64_t n, int64_t dim) { return chunk(x, n, dim); },
      true);
}

const RegisterOp split_row(op_row("split", "shape", draw_split, Trait::Slices));
const RegisterOp chunk_row(op_row("chunk", "shape", draw_chunk, Trait::Slices));

}  // namespace

std::vector<Tensor> split(const Tensor& self, Integer split_size, Integer dim, At at) {
  const Operation op("split", at);
  check_operand(op, self);
  if (self.dim() == 0) op.fail<ShapeError>("split expects at least a 1-dimensional tensor");
  if (split_size < 0)
    op.fail<ShapeError>("split expects split_size be non-negative, but got split_size={}",
                        split_size);
  const int64_t place = wrap_dim(op, dim, self.dim()), size = self.size(place);
  if (split_size == 0 && size != 0)
    op.fail<ShapeError>(
        "split_size can only be 0 if dimension size is 0, but got dimension size of {}", size);
  const int64_t count = split_size == 0 ? 1 : std::max<int64_t>(ceil_div(size, split_size), 1);
  return pieces(op, self, place, split_size, count);
}

std::vector<Tensor> chunk(const Tensor& self, Integer chunks, Integer dim, At at) {
  const Operation op("chunk", at);
  check_operand(op, self);
  if (self.dim() == 0) op.fail<ShapeError>("chunk expects at least a 1-dimensional tensor");
  if (chunks <= 0)
    op.fail<ShapeError>("chunk expects `chunks` to be greater than 0, got: {}", chunks);
  const int64_t place = wrap_dim(op, dim, self.dim()), size = self.size(place);
  const int64_t length = ceil_div(size, chunks);
  return pieces(op, self, place, length, length == 0 ? int64_t{chunks} : ceil_div(size, length));
}

std::vector<Tensor> ShapeMembers::split(Integer split_size, Integer dim, At at) const {
  return notape::split(self(), split_size, dim, at);
}
std::vector<Tensor> ShapeMembers::chunk(Integer chunks, Integer dim, At at) const {
  return notape::chunk(self(), chunks, dim, at);
}

}  // namespace notape
