// expand(x, size): dimensions of size 1 repeated through stride 0; its derivative sums over them.
#include "ops/core/sizes.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/shape/view_op.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

constexpr auto kExpandDerivative = derivative(
    "ExpandBackward0",
    movement(
        [](const Tensor& grad, const Meta<0>& self) { return sum_to_size(grad, self.sizes()); },
        [](const Tensor& tangent, const Sizes& size) { return expand(tangent, size); }));

OpCase draw_expand(Draw& draw) {
  const auto full = draw.shape(0, 4);
  OpCase one;
  one.label = to_string(full);
  one.arguments = {{.sizes = draw.broadcast_of(full)}};
  one.call = [=](const variable_list& x) { return expand(x[0], full); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_map([](T a, T) { return a; }, x[0], PlainTensor<T>(full));
  };
  return one;
}

const RegisterOp expand_row(op_row("expand", "shape", draw_expand, Trait::Broadcasts));

Tensor expanded(const Operation& op, const Tensor& self, IntArrayRef size) {
  check_operand(op, self);
  const Geometry& from = self.impl().geometry();
  const auto rank = static_cast<int64_t>(size.size()), own = self.dim();
  if (rank < own)
    op.fail<ShapeError>(
        "the number of sizes provided ({}) must be greater or equal to the number "
        "of dimensions in the tensor ({})",
        rank, own);
  DimVector sizes = size, strides(size.size());
  for (int64_t d = 0; d < rank; ++d) {
    const auto at_d = static_cast<std::size_t>(d);
    const int64_t mine = d - (rank - own);
    if (mine < 0) {
      if (sizes[at_d] < 0) op.fail<ShapeError>("-1 is not allowed in the new dimension {}", d);
      continue;
    }
    const int64_t old = from.size(static_cast<int>(mine));
    if (sizes[at_d] == -1) sizes[at_d] = old;
    if (old == sizes[at_d])
      strides[at_d] = from.stride(static_cast<int>(mine));
    else if (old != 1)
      op.fail<ShapeError>(
          "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton "
          "dimension {}. Target sizes: {}. Tensor sizes: {}",
          sizes[at_d], old, d, to_string(size), to_string(self.sizes()));
    else if (sizes[at_d] < 0)
      op.fail<ShapeError>("the expanded size of dimension {} is negative: {}", d, sizes[at_d]);
  }
  Geometry geometry = geometry_of(op, sizes, strides, from.offset());
  return view_as(kExpandDerivative, op, self, std::move(geometry), std::move(sizes));
}

}  // namespace

Tensor expand(const Tensor& self, IntArrayRef size, At at) {
  return expanded({"expand", at}, self, size);
}
Tensor broadcast_to(const Tensor& self, IntArrayRef size, At at) {
  return expanded({"broadcast_to", at}, self, size);
}

Tensor ShapeMembers::expand(IntArrayRef size, At at) const {
  return notape::expand(self(), size, at);
}

}  // namespace notape
