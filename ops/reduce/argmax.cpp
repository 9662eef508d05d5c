// argmax(x, dim): where the largest element stands along a dimension, the first of equal ones.
#include "ops/ops.h"
#include "ops/reduce/extremum.h"

namespace notape {

Tensor argmax(const Tensor& self, int64_t dim, bool keepdim, At at) {
  return raw_place_of_extreme({"argmax", at}, self, dim, keepdim, Extreme::Largest);
}

Tensor ReduceMembers::argmax(int64_t dim, bool keepdim, At at) const {
  return notape::argmax(self(), dim, keepdim, at);
}

}  // namespace notape
