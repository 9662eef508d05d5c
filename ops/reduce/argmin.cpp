// argmin(x, dim): where the smallest element stands along a dimension, the first of equal ones.
#include "autograd/modes/grad_mode.h"
#include "ops/reduce.h"
#include "ops/reduce/extremum.h"
#include "ops/shape.h"

namespace notape {

Tensor argmin(const Tensor& self, std::optional<Integer> dim, bool keepdim, At at) {
  const Operation op("argmin", at);
  if (dim) return raw_place_of_extreme(op, self, *dim, keepdim, Extreme::Smallest);
  check_operands(op, {&self});
  if (self.numel() == 0)
    op.fail<IndexError>("Expected reduction dim to be specified for input.numel() == 0.");
  const NoGradGuard no_grad;
  const Tensor line = reshape(self, {self.numel()}, at);
  const Tensor place = raw_place_of_extreme(op, line, 0, false, Extreme::Smallest);
  return keepdim ? reshape(place, DimVector(self.sizes().size(), 1), at) : place;
}

Tensor ReduceMembers::argmin(std::optional<Integer> dim, bool keepdim, At at) const {
  return notape::argmin(self(), dim, keepdim, at);
}

}  // namespace notape
