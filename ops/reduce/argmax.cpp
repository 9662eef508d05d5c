// argmax(x, dim): where the largest element stands along a dimension, the first of equal ones.
#include "ops/ops.h"
#include "ops/reduce/extremum.h"

namespace notape {

Tensor argmax(const Tensor& self, int64_t dim, bool keepdim, At at) {
  const Operation op("argmax", at);
  check_operands(op, {&self});
  if (self.dtype() == kBool) op.fail<DtypeError>("does not support bool input");
  return raw_extremes(op, self, dim, keepdim, Extreme::Largest).indices;
}

Tensor ReduceMembers::argmax(int64_t dim, bool keepdim, At at) const {
  return notape::argmax(self(), dim, keepdim, at);
}

}  // namespace notape
