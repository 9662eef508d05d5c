// any(x, dims): whether some element is not 0.
#include "ops/reduce.h"
#include "ops/reduce/truth_over.h"

namespace notape {

Tensor any(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return truth_over({"any", at}, self, dim, keepdim, Extreme::Largest);
}

Tensor ReduceMembers::any(IntArrayRef dim, bool keepdim, At at) const {
  return notape::any(self(), dim, keepdim, at);
}

}  // namespace notape
