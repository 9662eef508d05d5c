#include "ops/reduce/truth_over.h"

#include "autograd/tensor/factories.h"
#include "ops/comparison.h"
#include "ops/reduce/extremes_over.h"

namespace notape {

Tensor truth_over(const Operation& op, const Tensor& self, IntArrayRef dim, bool keepdim,
                  Extreme which) {
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  const ScalarType type = self.dtype() == kUInt8 ? kUInt8 : kBool;
  if (dims.count == 0)
    return full(dims.result_sizes, which == Extreme::Smallest,
                TensorOptions(type).device(self.device().of_samples()));
  const Tensor truth = self.dtype() == kBool ? self : ne(self, 0, op.at);
  return raw_convert(raw_extremes_over(op, truth, dims, which), type);
}

}  // namespace notape
