// argmin(x, dim): where the smallest element stands along a dimension, the first of equal ones.
#include "ops/ops.h"
#include "ops/reduce/extremum.h"

namespace notape {

Tensor argmin(const Tensor& self, int64_t dim, bool keepdim, At at) {
  return raw_place_of_extreme({"argmin", at}, self, dim, keepdim, Extreme::Smallest);
}

Tensor ReduceMembers::argmin(int64_t dim, bool keepdim, At at) const {
  return notape::argmin(self(), dim, keepdim, at);
}

}  // namespace notape
