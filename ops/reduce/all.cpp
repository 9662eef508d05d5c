// all(x, dims), any(x, dims): whether every or some element is not 0; the smallest and the largest
// of truths.
#include "autograd/tensor/factories.h"
#include "ops/comparison.h"
#include "ops/reduce.h"
#include "ops/reduce/extremes_over.h"

namespace notape {
namespace {

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

}  // namespace

Tensor all(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return truth_over({"all", at}, self, dim, keepdim, Extreme::Smallest);
}
Tensor any(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  return truth_over({"any", at}, self, dim, keepdim, Extreme::Largest);
}

Tensor ReduceMembers::all(IntArrayRef dim, bool keepdim, At at) const {
  return notape::all(self(), dim, keepdim, at);
}
Tensor ReduceMembers::any(IntArrayRef dim, bool keepdim, At at) const {
  return notape::any(self(), dim, keepdim, at);
}

}  // namespace notape
