// argmin(x, dim): where the smallest element stands along a dimension, the first of equal ones.
#include "autograd/modes/grad_mode.h"
#include "ops/reduce.h"
#include "ops/reduce/extremum.h"
#include "ops/shape.h"

namespace notape {

Tensor argmin(const Tensor& self, int64_t dim, bool keepdim, At at) {
  return raw_place_of_extreme({"argmin", at}, self, dim, keepdim, Extreme::Smallest);
}

Tensor argmin(const Tensor& self, At at) { return argmin(self, std::nullopt, false, at); }

Tensor argmin(const Tensor& self, std::optional<int64_t> dim, bool keepdim, At at) {
  if (dim) return argmin(self, *dim, keepdim, at);
  const Operation op("argmin", at);
  check_operands(op, {&self});
  if (self.numel() == 0)
    op.fail<IndexError>("Expected reduction dim to be specified for input.numel() == 0.");
  const NoGradGuard no_grad;
  const Tensor line = reshape(self, {self.numel()}, at);
  const Tensor place = raw_place_of_extreme(op, line, 0, false, Extreme::Smallest);
  return keepdim ? reshape(place, DimVector(self.sizes().size(), 1), at) : place;
}

Tensor ReduceMembers::argmin(int64_t dim, bool keepdim, At at) const {
  return notape::argmin(self(), dim, keepdim, at);
}

Tensor ReduceMembers::argmin(At at) const { return notape::argmin(self(), at); }
Tensor ReduceMembers::argmin(std::optional<int64_t> dim, bool keepdim, At at) const {
  return notape::argmin(self(), dim, keepdim, at);
}

}  // namespace notape
