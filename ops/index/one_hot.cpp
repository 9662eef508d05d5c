// one_hot(x, n)[.., k] = 1 where x[..] = k, else 0.
#include "autograd/tensor/factories.h"
#include "ops/comparison.h"
#include "ops/core/batching.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/index.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace notape {

Tensor one_hot(const Tensor& self, Integer num_classes, At at) {
  const Operation op("one_hot", at);
  check_operands(op, {&self});
  if (self.dtype() != kInt64)
    op.fail<DtypeError>("is only applicable to index tensor of type LongTensor, but got {}",
                        name_of(self.dtype()));
  if (num_classes < -1)
    op.fail<ValueError>("num_classes must be -1 or the number of classes, but is {}", num_classes);
  if (self.numel() == 0) {
    if (num_classes <= 0)
      op.fail<ValueError>("Can not infer total number of classes from empty tensor.");
  } else if (!is_batched(self) || num_classes == -1) {
    if (min(self, at).item<int64_t>() < 0)
      op.fail<ValueError>("Class values must be non-negative.");
    const int64_t largest = max(self, at).item<int64_t>();
    if (num_classes == -1) num_classes = size_sum(op, largest, 1);
    if (largest >= num_classes)
      op.fail<ValueError>("Class values must be smaller than num_classes, but {} is not below {}.",
                          largest, num_classes);
  }
  DimVector sizes = self.sizes();
  sizes.push_back(num_classes);
  geometry_of(op, sizes);
  const Tensor classes = arange(int64_t{num_classes}, self.options());
  return to(eq(unsqueeze(self, -1, at), classes, at), kInt64, at);
}

}  // namespace notape
