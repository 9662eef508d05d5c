// equal(a, b): one bool about two tensors, outside any graph.
#include <algorithm>

#include "ops/core/batching.h"
#include "ops/elementwise/all_hold.h"
#include "ops/elementwise/operator.h"

namespace notape {
bool all_hold(const Tensor& bools) {
  Tensor here = bools;
  if (!bools.device().is_cpu()) {
    here = allocate(bools.sizes(), kBool, kCPU);
    raw_copy(here, bools);
  }
  here = raw_contiguous(here);
  const bool* first = here.impl().data_as<bool>();
  return std::all_of(first, first + here.numel(), [](bool holds) { return holds; });
}

bool equal(const Tensor& self, const Tensor& other, At at) {
  const Operation op("equal", at);
  check_operands(op, {&self, &other});
  if (any_batched(self, other)) refuse_batched(op);
  return self.sizes() == other.sizes() && all_hold(eq(self, other, at));
}

bool ElementwiseMembers::equal(const Tensor& other, At at) const {
  return notape::equal(self(), other, at);
}

}  // namespace notape
