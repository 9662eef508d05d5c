// take(x, index) = x.flatten()[index]
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/composite.h"
#include "ops/core/one_device.h"
#include "ops/index.h"
#include "ops/index/indirect.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {

Tensor take(const Tensor& self, const Tensor& index, At at) {
  const Operation op("take", at);
  check_on_one_device(op, {&self, &index});
  const Composite composite({&self});
  const int64_t count = self.numel();
  const Tensor given = reshape(checked_index(op, index), {index.numel()}, at);
  const Tensor wrapped = where(lt(given, 0), given + count, given);
  check_index_range(op, wrapped, count, 0);
  return reshape(index_select(reshape(self, {count}, at), 0, wrapped, at), index.sizes(), at);
}

Tensor IndexMembers::take(const Tensor& index, At at) const {
  return notape::take(self(), index, at);
}

}  // namespace notape
