// count_nonzero(x, dims) = sum(x != 0)
#include "ops/comparison.h"
#include "ops/core/promotion.h"
#include "ops/reduce.h"

namespace notape {

Tensor count_nonzero(const Tensor& self, IntArrayRef dim, At at) {
  check_operands({"count_nonzero", at}, {&self});
  return sum(self.dtype() == kBool ? self : ne(self, 0, at), dim, false, at);
}

Tensor ReduceMembers::count_nonzero(IntArrayRef dim, At at) const {
  return notape::count_nonzero(self(), dim, at);
}

}  // namespace notape
