// take_along_dim(x, indices, dim) = gather(x, dim, indices), both broadcast but for dim.
#include "ops/core/composite.h"
#include "ops/core/one_device.h"
#include "ops/index.h"
#include "ops/index/gather.h"
#include "ops/shape.h"

namespace notape {

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<Integer> dim,
                      At at) {
  const Operation op("take_along_dim", at);
  check_on_one_device(op, {&self, &indices});
  const Composite composite({&self});
  const Tensor index = checked_index(op, indices);
  if (!dim)
    return gather_by(op, reshape(self, {self.numel()}, at), {0, 0},
                     reshape(index, {index.numel()}, at));
  if (self.dim() != index.dim())
    op.fail<ShapeError>(
        "input and indices should have the same number of dimensions, but got {} dimensions for "
        "input, and {} dimensions for indices",
        self.dim(), index.dim());
  const GivenDim along = given_dim(op, *dim, self.dim());
  if (self.dim() == 0) return gather_by(op, self, along, index);
  const auto place = static_cast<std::size_t>(along.place);
  std::vector<int64_t> own = self.sizes().vec(), others = index.sizes().vec();
  own[place] = others[place] = 1;
  std::vector<int64_t> sizes = broadcast_sizes(op, own, others);
  sizes[place] = self.sizes()[place];
  const Tensor broadcast = expand(self, sizes, at);
  sizes[place] = index.sizes()[place];
  return gather_by(op, broadcast, along, expand(index, sizes, at));
}

Tensor IndexMembers::take_along_dim(const Tensor& indices, std::optional<Integer> dim,
                                    At at) const {
  return notape::take_along_dim(self(), indices, dim, at);
}

}  // namespace notape
