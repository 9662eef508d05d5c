// all(x, dims): whether every element is not 0.
#include "ops/reduce.h"
#include "ops/reduce/truth_over.h"

namespace notape {

Tensor all(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return truth_over({"all", at}, self, dim, keepdim, Extreme::Smallest);
}

Tensor ReduceMembers::all(IntArrayRef dim, bool keepdim, At at) const {
  return notape::all(self(), dim, keepdim, at);
}

}  // namespace notape
