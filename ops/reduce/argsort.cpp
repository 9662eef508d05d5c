// argsort(x, dim): the indices that sort x along a dimension.
#include "ops/core/promotion.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/ordering.h"

namespace notape {

Tensor argsort(const Tensor& self, Integer dim, bool descending, At at) {
  const Operation op("argsort", at);
  check_operands(op, {&self});
  const int64_t place = wrap_dim(op, dim, self.dim());
  return raw_order(op, self, place, self.dim() == 0 ? 1 : self.size(place), descending)[1];
}

Tensor ReduceMembers::argsort(Integer dim, bool descending, At at) const {
  return notape::argsort(self(), dim, descending, at);
}

}  // namespace notape
