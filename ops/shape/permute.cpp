// permute(x, dims): dimension i of the result is dimension dims[i] of x; its derivative permutes
// back.
#include <algorithm>

#include "ops/core/wrap_dim.h"
#include "ops/linalg.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

DimVector inverse_of(const DimVector& order) {
  DimVector inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    inverse[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(i);
  return inverse;
}

constexpr auto kPermuteDerivative = derivative(
    "PermuteBackward0",
    movement(
        [](const Tensor& grad, const Sizes& order) { return permute(grad, inverse_of(order)); },
        [](const Tensor& tangent, const Sizes& order) { return permute(tangent, order); }));

OpCase draw_permute(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  const auto rank = static_cast<int64_t>(sizes.size());
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d) order.insert(order.begin() + draw.integer(0, d), d);
  OpCase one;
  one.label = "dims=" + to_string(order);
  one.arguments = {{.sizes = sizes}};
  std::vector<int64_t> dims = order;
  for (int64_t& dim : dims)
    if (draw.boolean()) dim -= rank;
  one.call = [=](const variable_list& x) { return permute(x[0], dims); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    std::vector<int64_t> result_sizes;
    for (int64_t d : order) result_sizes.push_back(sizes[static_cast<std::size_t>(d)]);
    return plain_pick(result_sizes, x[0], [&](const IndexTuple& i) {
      IndexTuple from(i.size());
      for (std::size_t d = 0; d < i.size(); ++d) from[static_cast<std::size_t>(order[d])] = i[d];
      return from;
    });
  };
  return one;
}

const RegisterOp permute_row(op_row("permute", "shape", draw_permute, Trait::Permutes));

}  // namespace

Tensor permute(const Tensor& self, IntArrayRef dims, At at) {
  const Operation op("permute", at);
  check_operand(op, self);
  const Geometry& from = self.impl().geometry();
  if (dims.size() != from.sizes().size())
    op.fail<ShapeError>(
        "number of dimensions in the tensor input does not match the length of the desired "
        "ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
        from.dim(), dims.size());
  DimVector order = dims, sizes = from.sizes(), strides = from.strides();
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = wrap_dim(op, dims[i], from.dim());
    if (std::find(order.begin(), order.begin() + i, order[i]) != order.begin() + i)
      op.fail<ShapeError>("duplicate dims are not allowed: {}", to_string(dims));
    sizes[i] = from.size(static_cast<int>(order[i]));
    strides[i] = from.stride(static_cast<int>(order[i]));
  }
  return view_as(kPermuteDerivative, op, self, Geometry(sizes, strides, from.offset()),
                 std::move(order));
}

Tensor ShapeMembers::permute(IntArrayRef dims, At at) const {
  return notape::permute(self(), dims, at);
}

}  // namespace notape
