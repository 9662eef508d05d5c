// nonzero(x): the index tuples of what is not 0, row by row. How many there are is read on the
// host.
#include "ops/comparison.h"
#include "ops/core/batching.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/index/indirect.h"
#include "ops/shape.h"

namespace notape {

Tensor nonzero(const Tensor& self, At at) {
  const Operation op("nonzero", at);
  check_operands(op, {&self});
  if (is_batched(self)) refuse_batched(op);
  const Tensor truth = raw_on_device(raw_contiguous(raw_convert(self, kBool)), kCPU);
  const Bool* holds = truth.impl().data_as<Bool>();
  const IntArrayRef sizes = truth.sizes();
  const int64_t count = std::count(holds, holds + truth.numel(), Bool(true));
  const Tensor result = allocate({count, self.dim()}, kInt64, kCPU);
  auto* row = result.impl().data_as<int64_t>();
  for (int64_t i = 0; i < truth.numel(); ++i) {
    if (!holds[i]) continue;
    int64_t rest = i;
    for (std::size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) row[d] = rest % sizes[d];
    row += sizes.size();
  }
  return raw_on_device(result, self.device());
}

std::vector<Tensor> where(const Tensor& condition, At at) {
  check_operand({"where", at}, condition);
  const Tensor listed = condition.dim() == 0 ? reshape(condition, {1}, at) : condition;
  return unbind(nonzero(listed, at), 1, at);
}

Tensor IndexMembers::nonzero(At at) const { return notape::nonzero(self(), at); }

}  // namespace notape
