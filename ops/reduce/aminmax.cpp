// aminmax(x) = {amin(x), amax(x)}
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/reduce.h"

namespace notape {

std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<Integer> dim, bool keepdim,
                                   At at) {
  const Operation op("aminmax", at);
  check_operands(op, {&self});
  const Composite composite({&self});
  std::vector<int64_t> dims;
  if (dim) dims.push_back(*dim);
  return {amin(self, dims, keepdim, at), amax(self, dims, keepdim, at)};
}

std::tuple<Tensor, Tensor> ReduceMembers::aminmax(std::optional<Integer> dim, bool keepdim,
                                                  At at) const {
  return notape::aminmax(self(), dim, keepdim, at);
}

}  // namespace notape
