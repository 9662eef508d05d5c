#include "ops/elementwise/run_on_cpu.h"

#include <algorithm>

#include "ops/parallel.h"

namespace notape {
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

/// Short runs beside many others, as of (n, 3): what is done for each run takes longer than its
/// elements.
bool has_short_runs(const ElementwisePlan& plan) {
  constexpr int64_t kShort = 8;
  return plan.ndim > 1 && plan.ndim < ElementwisePlan::kMaxDims && plan.numel > 0 &&
         plan.sizes[0] < kShort && plan.sizes[0] < plan.sizes[1];
}

/// The same elements of positions [first, last) of the second dimension in runs along that one, of
/// which so many are taken at a time that all of them stay in the nearest cache.
ElementwisePlan turned(const ElementwisePlan& plan, int64_t first, int64_t last, int64_t length) {
  ElementwisePlan result = plan;
  result.ndim = plan.ndim + 1;
  for (int d = 0; d < result.ndim; ++d) {
    const int from = d == 0 || d == 2 ? 1 : d == 1 ? 0 : d - 1;
    result.sizes[d] = plan.sizes[from];
    std::copy_n(plan.strides[from], plan.operands, result.strides[d]);
  }
  result.sizes[0] = length;
  result.sizes[2] = (last - first) / length;
  for (int k = 0; k < plan.operands; ++k) {
    result.data[k] += first * plan.strides[1][k];
    result.strides[2][k] *= length;
  }
  result.numel = plan.numel / plan.sizes[1] * (last - first);
  return result;
}

void run_many(ElementwiseLoop loop, const ElementwisePlan& plan, const void* functor) {
  parallel_for(0, plan.numel / plan.sizes[0], std::max<int64_t>(1, kParallelGrain / plan.sizes[0]),
               [&](int64_t first, int64_t last) { run_range(loop, plan, functor, first, last); });
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
  const bool has_short = has_short_runs(plan);
  if ((plan.numel <= kParallelGrain && !has_short) || !writes_apart(plan))
    return run_on_cpu(loop, plan, functor);
  if (plan.ndim == 1)
    return run_split(loop, plan.data, plan.strides[0], plan.operands, plan.numel, functor);
  if (!has_short) return run_many(loop, plan, functor);
  constexpr int64_t kMostAtATime = 256;
  const int64_t n = plan.sizes[1], length = std::min(n, kMostAtATime), even = n / length * length;
  run_many(loop, turned(plan, 0, even, length), functor);
  if (even != n) run_many(loop, turned(plan, even, n, n - even), functor);
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
