// take(x, index) = x.flatten()[index]
#include "ops/core/composite.h"
#include "ops/core/one_device.h"
#include "ops/index.h"
#include "ops/index/indirect.h"
#include "ops/shape.h"

namespace notape {

Tensor take(const Tensor& self, const Tensor& index, At at) {
  const Operation op("take", at);
  check_on_one_device(op, {&self, &index});
  const Composite composite({&self});
  const int64_t count = self.numel();
  const Tensor given = reshape(checked_index(op, index), {index.numel()}, at);
  const Tensor wrapped = wrapped_index(op, given, count, 0);
  return reshape(index_select(reshape(self, {count}, at), 0, wrapped, at), index.sizes(), at);
}

Tensor IndexMembers::take(const Tensor& index, At at) const {
  return notape::take(self(), index, at);
}

}  // namespace notape
