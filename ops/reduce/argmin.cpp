// argmin(x, dim): where the smallest element stands along a dimension, the first of equal ones.
#include "ops/ops.h"
#include "ops/reduce/extremum.h"

namespace notape {

Tensor argmin(const Tensor& self, int64_t dim, bool keepdim, At at) {
  const Operation op("argmin", at);
  check_operands(op, {&self});
  if (self.dtype() == kBool) op.fail<DtypeError>("does not support bool input");
  return raw_extremes(op, self, dim, keepdim, Extreme::Smallest).indices;
}

Tensor ReduceMembers::argmin(int64_t dim, bool keepdim, At at) const {
  return notape::argmin(self(), dim, keepdim, at);
}

}  // namespace notape
