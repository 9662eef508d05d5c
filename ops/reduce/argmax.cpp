// argmax(x, dim): where the largest element stands along a dimension, the first of equal ones.
#include "autograd/modes/grad_mode.h"
#include "ops/reduce.h"
#include "ops/reduce/extremum.h"
#include "ops/shape.h"

namespace notape {

Tensor argmax(const Tensor& self, int64_t dim, bool keepdim, At at) {
  return raw_place_of_extreme({"argmax", at}, self, dim, keepdim, Extreme::Largest);
}

Tensor argmax(const Tensor& self, At at) { return argmax(self, std::nullopt, false, at); }

Tensor argmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim, At at) {
  if (dim) return argmax(self, *dim, keepdim, at);
  const Operation op("argmax", at);
  check_operands(op, {&self});
  if (self.numel() == 0)
    op.fail<IndexError>("Expected reduction dim to be specified for input.numel() == 0.");
  const NoGradGuard no_grad;
  const Tensor line = reshape(self, {self.numel()}, at);
  const Tensor place = raw_place_of_extreme(op, line, 0, false, Extreme::Largest);
  return keepdim ? reshape(place, DimVector(self.sizes().size(), 1), at) : place;
}

Tensor ReduceMembers::argmax(int64_t dim, bool keepdim, At at) const {
  return notape::argmax(self(), dim, keepdim, at);
}

Tensor ReduceMembers::argmax(At at) const { return notape::argmax(self(), at); }
Tensor ReduceMembers::argmax(std::optional<int64_t> dim, bool keepdim, At at) const {
  return notape::argmax(self(), dim, keepdim, at);
}

}  // namespace notape
