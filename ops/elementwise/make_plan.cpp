// Planning strided loops: orders the dimensions by memory, fuses those that continue one another.
#include "ops/elementwise/make_plan.h"

#include <algorithm>

#include "autograd/tensor/tensor.h"

namespace notape {
namespace {

/// The stride, in bytes, of `operand` along dimension `d` of an output of rank `rank`.
int64_t broadcast_stride(const TensorImpl& operand, int d, int rank) {
  const Geometry& geometry = operand.geometry();
  const int own = d - (rank - geometry.dim());
  if (own < 0 || geometry.size(own) == 1) return 0;
  return geometry.stride(own) * static_cast<int64_t>(element_size(operand.dtype()));
}

void add_dimension(ElementwisePlan& plan, int64_t size, const int64_t* strides) {
  const int last = plan.ndim - 1;
  if (last >= 0) {
    bool continues = true;
    for (int k = 0; k < plan.operands; ++k)
      continues &= strides[k] == plan.strides[last][k] * plan.sizes[last];
    if (continues) {
      plan.sizes[last] *= size;
      return;
    }
  }
  plan.sizes[plan.ndim] = size;
  std::copy_n(strides, plan.operands, plan.strides[plan.ndim]);
  ++plan.ndim;
}

}  // namespace

void make_plan(ElementwisePlan& plan, const Tensor& output, const Tensor* const* inputs, int count,
               int order_by) {
  const Geometry& shape = output.impl().geometry();
  const int rank = shape.dim();
  plan.operands = count + 1;
  plan.numel = shape.numel();
  plan.data[0] = static_cast<char*>(output.impl().data());
  for (int k = 0; k < count; ++k) plan.data[k + 1] = static_cast<char*>(inputs[k]->impl().data());
  const Geometry& leader = order_by == 0 ? shape : inputs[order_by - 1]->impl().geometry();
  int order[ElementwisePlan::kMaxDims];                // fastest first
  for (int d = rank, placed = 0; d-- > 0; ++placed) {  // stable insertion: ranks are small
    int at = placed;
    for (; at > 0 && leader.stride(order[at - 1]) > leader.stride(d); --at)
      order[at] = order[at - 1];
    order[at] = d;
  }
  for (int i = 0; i < rank; ++i) {
    const int d = order[i];
    if (shape.size(d) == 1) continue;
    int64_t strides[ElementwisePlan::kMaxOperands];
    strides[0] = broadcast_stride(output.impl(), d, rank);
    for (int k = 0; k < count; ++k) strides[k + 1] = broadcast_stride(inputs[k]->impl(), d, rank);
    add_dimension(plan, shape.size(d), strides);
  }
}

}  // namespace notape
