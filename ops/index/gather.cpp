// gather(x, dim, index): y[i][j] = x[index[i][j]][j] for dim 0; the derivative is scatter_add.
#include "ops/index/gather.h"

#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/one_device.h"
#include "ops/index.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

struct GatherAlong {
  int64_t dim;
};

constexpr auto kGatherDerivative = derivative(
    "GatherBackward0",
    selection(
        [](const Tensor& grad, const Meta<0>& self, const Input<1>& index, const GatherAlong& p) {
          return scatter_add_onto_zeros(self.sizes(), p.dim, index, grad);
        },
        [](const Tensor& tangent, const Input<1>& index, const GatherAlong& p) {
          return gather(tangent, p.dim, index);
        }),
    not_differentiable);

OpCase draw_gather(Draw& draw) {
  auto sizes = draw.shape(0, 4, 1);
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t dim = draw.dimension(rank);
  std::vector<int64_t> index_sizes = sizes;
  for (int64_t& size : index_sizes) size = draw.integer(0, size);
  if (rank > 0) index_sizes[place_of(dim, sizes.size())] = draw.integer(1, 5);
  OpCase one;
  one.label = format_message("dim={}, index {}", {dim, to_string(index_sizes)});
  one.arguments = {{.sizes = sizes},
                   Argument::index(index_sizes, rank > 0 ? sizes[place_of(dim, sizes.size())] : 1)};
  one.call = [=](const variable_list& x) { return gather(x[0], dim, x[1]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_pick(index_sizes, x[0], [&](IndexTuple i) {
      if (rank > 0)
        i[place_of(dim, sizes.size())] =
            static_cast<int64_t>(x[1].values[flat_index(index_sizes, i)]);
      return i;
    });
  };
  return one;
}

const RegisterOp gather_row(op_row("gather", "index", draw_gather,
                                   Trait::Locates | Trait::Gathers));

}  // namespace

void check_gather_sizes(const Operation& op, const Tensor& self, GivenDim dim,
                        const Tensor& index) {
  if (index.numel() == 0) return;
  if (std::max<int64_t>(index.dim(), 1) != std::max<int64_t>(self.dim(), 1))
    op.fail<ShapeError>(
        "Index tensor must have the same number of dimensions as input tensor, but got {} and {}",
        index.dim(), self.dim());
  for (int64_t d = 0; d < std::min(self.dim(), index.dim()); ++d)
    if (d != dim.place && index.size(d) > self.size(d))
      op.fail<ShapeError>(
          "Size does not match at dimension {} expected index {} to be smaller than self {} apart "
          "from dimension {}",
          d, to_string(index.sizes()), to_string(self.sizes()), dim.given);
}

Tensor checked_gather_index(const Operation& op, const Tensor& self, GivenDim dim,
                            const Tensor& index) {
  check_gather_sizes(op, self, dim, index);
  if (index.numel() == 0) return index;
  return checked_range(op, index, self.dim() == 0 ? 1 : self.size(dim.place), dim.given);
}

Indirect along_dim(const Tensor& self, int64_t dim, const Tensor& index) {
  const Geometry& from = self.impl().geometry();
  const Tensor positions = raw_contiguous(index);
  DimVector strides(index.sizes().size());
  for (int64_t d = 0; d < index.dim() && d < self.dim(); ++d)
    strides[static_cast<std::size_t>(d)] = d == dim ? 0 : from.stride(static_cast<int>(d));
  return {raw_alias(self, Geometry(index.sizes(), strides, from.offset())), positions,
          self.dim() == 0 ? 1 : from.stride(static_cast<int>(dim))};
}

namespace {

Tensor compute_gather(const Operation& op, const Tensor& self, GivenDim dim, const Tensor& index) {
  check_gather_sizes(op, self, dim, index);
  if (any_batched(self, index))
    return over_batch_along(
        dim.place, index,
        [&](int64_t behind, const Tensor& all, const Tensor& indices) {
          return compute_gather(op, all, {behind, dim.given}, indices);
        },
        self, index);
  Tensor result = allocate(index.sizes(), self.dtype(), self.device());
  if (index.numel() > 0)
    run_in_range(op, checked_read, read_indirect_kernel, along_dim(self, dim.place, index), result,
                 {0, self.dim() == 0 ? 1 : self.size(dim.place), dim.given});
  return result;
}

}  // namespace

Tensor gather_by(const Operation& op, const Tensor& self, GivenDim dim, const Tensor& index) {
  return record(kGatherDerivative, op, compute_gather(op, self, dim, index), GatherAlong{dim.place},
                self, index);
}

Tensor gather(const Tensor& self, Integer dim, const Tensor& index, At at) {
  const Operation op("gather", at);
  check_on_one_device(op, {&self, &index});
  const GivenDim along = given_dim(op, dim, self.dim());
  return gather_by(op, self, along, checked_index(op, index));
}

Tensor IndexMembers::gather(Integer dim, const Tensor& index, At at) const {
  return notape::gather(self(), dim, index, at);
}

}  // namespace notape
