#include "ops/reduce/as_slices.h"

namespace notape {

std::optional<Slices> as_slices(const Tensor& self, const ReducedDims& dims) {
  if (!self.is_contiguous()) return {};
  Slices slices(1, 0);
  bool inside = false, behind = false;
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    const int64_t size = self.sizes()[d];
    if (size == 1) continue;
    if (dims.reduced[d] && behind) return {};
    behind = inside && !dims.reduced[d];
    inside |= dims.reduced[d];
    (!inside ? slices.outer : behind ? slices.inner : slices.size) *= size;
  }
  return slices;
}

}  // namespace notape
