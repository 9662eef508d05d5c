// repeat(x, r): a copy of x, r[d] times along each dimension; the gradient is summed over them. An
// expanded view in which each repeated dimension has one of the repetitions in front of it, then
// copied.
#include "ops/core/composite.h"
#include "ops/core/sizes.h"
#include "ops/shape.h"
#include "ops/shape/clone.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_repeat(Draw& draw) {
  const auto sizes = draw.shape(0, 3, 0, 3);
  std::vector<int64_t> repeats;
  const std::size_t more = static_cast<std::size_t>(draw.integer(0, 1));
  for (std::size_t d = 0; d < sizes.size() + more; ++d) repeats.push_back(draw.integer(0, 3));
  std::vector<int64_t> result_sizes = repeats;
  for (std::size_t d = 0; d < sizes.size(); ++d) result_sizes[more + d] *= sizes[d];
  return picked_case(
      "repeats=" + to_string(repeats), sizes, result_sizes,
      [=](const Tensor& x) { return repeat(x, repeats); },
      [=](const IndexTuple& i) {
        IndexTuple from;
        for (std::size_t d = 0; d < sizes.size(); ++d) from.push_back(i[more + d] % sizes[d]);
        return from;
      });
}

const RegisterOp repeat_row(op_row("repeat", "shape", draw_repeat,
                                   Trait::Broadcasts | Trait::Accumulates));

Tensor repeated(const Operation& op, const Tensor& self, IntArrayRef repeats) {
  check_operand(op, self);
  const auto rank = static_cast<std::size_t>(self.dim());
  if (repeats.size() < rank)
    op.fail<ShapeError>(
        "number of dimensions of repeat dims can not be smaller than number of dimensions of "
        "tensor: {} for size {}",
        to_string(repeats), to_string(self.sizes()));
  for (const int64_t times : repeats)
    if (times < 0)
      op.fail<ShapeError>("trying to create a tensor with negative dimension, repeats={}",
                          to_string(repeats));
  const Composite composite({&self});
  const std::size_t more = repeats.size() - rank;
  // Dimensions of size 1 are expanded as they are, others get one in front.
  DimVector apart, expanded, sizes;
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    const int64_t size = d < more ? 1 : self.sizes()[d - more];
    if (size != 1 && repeats[d] != 1) {
      apart.push_back(1);
      expanded.push_back(repeats[d]);
    }
    apart.push_back(size);
    expanded.push_back(size == 1 ? repeats[d] : size);
    sizes.push_back(size_product(op, {size, repeats[d]}));
  }
  geometry_of(op, expanded);
  const Tensor seen = expand(reshape(self, apart, op.at), expanded, op.at);
  return reshape(clone_with_strides(seen, contiguous_strides(expanded), op.at), sizes, op.at);
}

}  // namespace

Tensor repeat(const Tensor& self, IntArrayRef repeats, At at) {
  return repeated({"repeat", at}, self, repeats);
}
Tensor tile(const Tensor& self, IntArrayRef repeats, At at) {
  const Operation op("tile", at);
  check_operand(op, self);
  std::vector<int64_t> all = repeats.vec();
  const auto rank = static_cast<std::size_t>(self.dim());
  if (all.size() < rank) all.insert(all.begin(), rank - all.size(), 1);
  return repeated(op, self, all);
}

Tensor ShapeMembers::repeat(IntArrayRef repeats, At at) const {
  return notape::repeat(self(), repeats, at);
}

}  // namespace notape
