#include "ops/reduce/ordering.h"

namespace notape {

PerResult<2> raw_order(const Operation& op, const Tensor& self, int64_t dim, int64_t count,
                       bool descending) {
  if (is_batched(self))
    return pair_over_batch_along(dim, self, [&](int64_t behind, const Tensor& all) {
      return raw_order(op, all, behind, count, descending);
    });
  if (is_reduced_floating_point(self.dtype())) {
    PerResult<2> found = raw_order(op, raw_convert(self, kFloat32), dim, count, descending);
    return {raw_convert(found[0], self.dtype()), std::move(found[1])};
  }
  DimVector sizes = self.sizes();
  if (!sizes.empty()) sizes[static_cast<std::size_t>(dim)] = count;
  const PerResult<2> result{allocate(sizes, self.dtype(), self.device()),
                            allocate(sizes, kInt64, self.device())};
  if (result[0].numel() > 0)
    order_kernel(op, self.dtype(), self.device(), result[0], result[1], raw_contiguous(self),
                 Slices(self.sizes(), dim), count, descending);
  return result;
}

}  // namespace notape
