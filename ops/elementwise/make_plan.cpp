// Planning strided loops: orders the dimensions by memory, fuses those that continue one another.
#include "ops/elementwise/make_plan.h"

#include <algorithm>

#include "autograd/tensor/tensor.h"
#include "ops/core/parallel.h"

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

namespace {

/// Runs [first, last) of the plan's fastest dimension.
void run_range(ElementwiseLoop loop, const ElementwisePlan& plan, const void* functor,
               int64_t first, int64_t last) {
  char* data[ElementwisePlan::kMaxOperands];
  std::copy_n(plan.data, plan.operands, data);
  int64_t index[ElementwisePlan::kMaxDims] = {};
  for (int64_t d = 1, rest = first; rest > 0; rest /= plan.sizes[d], ++d) {
    index[d] = rest % plan.sizes[d];
    for (int k = 0; k < plan.operands; ++k) data[k] += plan.strides[d][k] * index[d];
  }
  for (int64_t run = first;;) {
    loop(data, plan.strides[0], plan.sizes[0], functor);
    if (++run == last) return;
    for (int d = 1; d < plan.ndim; ++d) {
      for (int k = 0; k < plan.operands; ++k) data[k] += plan.strides[d][k];
      if (++index[d] < plan.sizes[d]) break;
      for (int k = 0; k < plan.operands; ++k) data[k] -= plan.strides[d][k] * plan.sizes[d];
      index[d] = 0;
    }
  }
}

/// Enough to know that no two elements of the output share memory.
bool writes_apart(const ElementwisePlan& plan) {
  int64_t reach = 1;
  for (int d = 0; d < plan.ndim; ++d) {
    if (plan.strides[d][0] < reach) return false;
    reach += plan.strides[d][0] * (plan.sizes[d] - 1);
  }
  return true;
}

}  // namespace

void run_on_cpu(ElementwiseLoop loop, const ElementwisePlan& plan, const void* functor) {
  if (plan.numel == 0) return;
  static constexpr int64_t kNoStrides[ElementwisePlan::kMaxOperands] = {};
  if (plan.ndim <= 1)
    loop(plan.data, plan.ndim ? plan.strides[0] : kNoStrides, plan.numel, functor);
  else
    run_range(loop, plan, functor, 0, plan.numel / plan.sizes[0]);
}

void run_split(ElementwiseLoop loop, const ElementwisePlan& plan, const void* functor) {
  if (plan.numel <= kParallelGrain || !writes_apart(plan)) return run_on_cpu(loop, plan, functor);
  if (plan.ndim == 1)
    return run_split(loop, plan.data, plan.strides[0], plan.operands, plan.numel, functor);
  parallel_for(0, plan.numel / plan.sizes[0], std::max<int64_t>(1, kParallelGrain / plan.sizes[0]),
               [&](int64_t first, int64_t last) { run_range(loop, plan, functor, first, last); });
}

void run_split(ElementwiseLoop loop, char* const* data, const int64_t* strides, int operands,
               int64_t n, const void* functor) {
  parallel_for(0, n, kParallelGrain, [&](int64_t first, int64_t last) {
    char* here[ElementwisePlan::kMaxOperands];
    for (int k = 0; k < operands; ++k) here[k] = data[k] + first * strides[k];
    loop(here, strides, last - first, functor);
  });
}

}  // namespace notape
