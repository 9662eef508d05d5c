#include "ops/reduce/reduce.h"

#include "ops/elementwise/make_plan.h"
#include "ops/ops.h"

namespace notape {

ReducedDims reduced_dims(const Operation& op, const Tensor& self, IntArrayRef dim, bool keepdim) {
  const auto rank = static_cast<std::size_t>(self.dim());
  ReducedDims result;
  result.reduced.assign(rank, dim.empty());
  for (int64_t d : dim) {
    const auto at = static_cast<std::size_t>(wrap_dim(d, self.dim()));
    if (rank == 0) continue;
    if (result.reduced[at]) op.fail<IndexError>("dim {} appears multiple times in the list of dims", d);
    result.reduced[at] = true;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const int64_t size = self.sizes()[d];
    result.kept_sizes.push_back(result.reduced[d] ? 1 : size);
    if (result.reduced[d]) result.count *= size;
    if (!result.reduced[d] || keepdim) result.result_sizes.push_back(result.kept_sizes.back());
  }
  return result;
}

void fold(ElementwiseLoop loop, const Tensor& accumulator, const Tensor& input) {
  const Geometry& kept = accumulator.impl().geometry();
  std::vector<int64_t> strides(static_cast<std::size_t>(input.dim()));
  for (int d = 0; d < kept.dim(); ++d)
    strides[static_cast<std::size_t>(d)] =
        kept.size(d) == 1 ? 0 : kept.stride(d);
  const Tensor target = raw_alias(accumulator, Geometry(input.sizes(), strides, kept.offset()));
  ElementwisePlan plan;
  const Tensor* inputs[] = {&input};
  make_plan(plan, target, inputs, 1, 1);
  run_on_cpu(loop, plan, nullptr);
}

Tensor restore_dims(const Tensor& value, IntArrayRef input_sizes, IntArrayRef dim, bool keepdim) {
  if (keepdim || input_sizes.empty()) return value;
  std::vector<int64_t> sizes = input_sizes.vec();
  if (dim.empty()) sizes.assign(sizes.size(), 1);
  for (int64_t d : dim)
    sizes[static_cast<std::size_t>(wrap_dim(d, static_cast<int64_t>(sizes.size())))] = 1;
  return reshape(value, sizes);
}

}  // namespace notape
