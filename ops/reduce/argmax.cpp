// argmax(x, dim), argmin(x, dim): where the largest or the smallest element stands along a
// dimension, the first of equal ones.
#include "autograd/modes/grad_mode.h"
#include "ops/reduce.h"
#include "ops/reduce/extremum.h"
#include "ops/shape.h"

namespace notape {
namespace {

Tensor place_of_extreme(const Operation& op, const Tensor& self, std::optional<Integer> dim,
                        bool keepdim, Extreme which) {
  if (dim) return raw_place_of_extreme(op, self, *dim, keepdim, which);
  check_operands(op, {&self});
  if (self.numel() == 0)
    op.fail<IndexError>("Expected reduction dim to be specified for input.numel() == 0.");
  const NoGradGuard no_grad;
  const Tensor line = reshape(self, {self.numel()}, op.at);
  const Tensor place = raw_place_of_extreme(op, line, 0, false, which);
  return keepdim ? reshape(place, DimVector(self.sizes().size(), 1), op.at) : place;
}

}  // namespace

Tensor argmax(const Tensor& self, std::optional<Integer> dim, bool keepdim, At at) {
  return place_of_extreme({"argmax", at}, self, dim, keepdim, Extreme::Largest);
}
Tensor argmin(const Tensor& self, std::optional<Integer> dim, bool keepdim, At at) {
  return place_of_extreme({"argmin", at}, self, dim, keepdim, Extreme::Smallest);
}

Tensor ReduceMembers::argmax(std::optional<Integer> dim, bool keepdim, At at) const {
  return notape::argmax(self(), dim, keepdim, at);
}
Tensor ReduceMembers::argmin(std::optional<Integer> dim, bool keepdim, At at) const {
  return notape::argmin(self(), dim, keepdim, at);
}

}  // namespace notape
