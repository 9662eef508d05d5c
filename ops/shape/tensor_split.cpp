// tensor_split(x, n, dim): views of n pieces, the first ones longer by one slice where it does not
// come out even; or of the slices between given indices, which count as those of slice() do.
#include "ops/core/promotion.h"
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

/// Where each piece begins and ends, in range; the reference's own reading.
using Ends = std::vector<std::pair<int64_t, int64_t>>;

Ends ends_of(int64_t size, int64_t sections, const std::vector<int64_t>& indices) {
  Ends ends;
  if (sections > 0) {
    int64_t start = 0;
    for (int64_t i = 0; i < sections; ++i) {
      int64_t end = start;
      while ((end - start) * sections + i < size) ++end;
      ends.emplace_back(start, end);
      start = end;
    }
    return ends;
  }
  const auto in_range = [size](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size);
  };
  int64_t start = 0;
  for (std::size_t i = 0; i <= indices.size(); ++i) {
    const int64_t end = i < indices.size() ? in_range(indices[i]) : size;
    ends.emplace_back(start, std::max(start, end));
    start = end;
  }
  return ends;
}

OpCase draw_tensor_split(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4, 0, 6);
  const int64_t size = sizes[place], sections = draw.integer(0, 4);
  std::vector<int64_t> indices;
  for (int64_t i = sections == 0 ? draw.integer(0, 3) : 0; i > 0; --i)
    indices.push_back(draw.integer(-size - 1, size + 1));
  const Ends ends = ends_of(size, sections, indices);
  const auto chosen =
      static_cast<std::size_t>(draw.integer(0, static_cast<int64_t>(ends.size()) - 1));
  std::vector<int64_t> result_sizes = sizes;
  result_sizes[place] = ends[chosen].second - ends[chosen].first;
  return picked_case(
      format_message("{} sections or at {}, dim={}, {}",
                     {sections, to_string(indices), dim, static_cast<int64_t>(chosen)}),
      sizes, result_sizes,
      [=](const Tensor& x) {
        return (sections > 0 ? tensor_split(x, sections, dim)
                             : tensor_split(x, indices, dim))[chosen];
      },
      [=](IndexTuple i) {
        i[place] += ends[chosen].first;
        return i;
      });
}

const RegisterOp tensor_split_row(op_row("tensor_split", "shape", draw_tensor_split,
                                         Trait::Slices));

void check_tensor_split(const Operation& op, const Tensor& self) {
  check_operand(op, self);
  if (self.dim() == 0)
    op.fail<ShapeError>("expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
}

}  // namespace

std::vector<Tensor> detail::split_evenly(const Tensor& self, Integer sections, Integer dim, At at) {
  const Operation op("tensor_split", at);
  check_tensor_split(op, self);
  const int64_t place = wrap_dim(op, dim, self.dim()), size = self.size(place);
  if (sections <= 0)
    op.fail<ValueError>("number of sections must be larger than 0, got {}", sections);
  constexpr int64_t kMost = 1 << 24;  // behind the last entry pieces are empty, however many
  if (sections > kMost) op.fail<OutOfMemory>("{} sections are too many", sections);
  std::vector<int64_t> lengths(static_cast<std::size_t>(sections), size / sections);
  for (int64_t i = 0; i < size % sections; ++i) ++lengths[static_cast<std::size_t>(i)];
  return split_with_sizes(self, lengths, place, at);
}

std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, Integer dim, At at) {
  const Operation op("tensor_split", at);
  check_tensor_split(op, self);
  const int64_t place = wrap_dim(op, dim, self.dim());
  std::vector<Tensor> pieces;
  int64_t start = 0;
  for (const int64_t end : indices) {
    pieces.push_back(slice(self, place, start, end, 1, at));
    start = end;
  }
  pieces.push_back(slice(self, place, start, {}, 1, at));
  return pieces;
}

std::vector<Tensor> ShapeMembers::tensor_split(IntArrayRef indices, Integer dim, At at) const {
  return notape::tensor_split(self(), indices, dim, at);
}

}  // namespace notape
