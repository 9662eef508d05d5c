#include "autograd/tensor/device_interface.h"
#include "ops/core/host_kernel.h"
#include "ops/core/reduced.h"
#include "ops/parallel.h"
#include "ops/reduce/operator.h"
#include "ops/reduce/several_teams.h"

namespace notape {

Tensor let_teams_share(RowsPlan& plan, Device device) {
  plan.teams = teams_for_slice(plan.count, plan.size);
  if (plan.teams == 1) return {};
  const int64_t bytes = Passes{plan.teams, kMostFolds}.bytes(plan.count);
  Tensor kept = allocate(IntArrayRef({bytes}), kUInt8, device);
  plan.kept = kept.impl().data();
  return kept;
}

Tensor reduce_rows(const Operation& op, const ReductionSlots& kernel, const void* functor,
                   const Tensor& self, const ReducedDims& dims) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) {
          return reduce_rows(op, kernel, functor, all, dims.behind_batch(size));
        },
        self);
  if (is_reduced_floating_point(self.dtype()))
    return in_float32(
        op, [&](const Tensor& x) { return reduce_rows(op, kernel, functor, x, dims); }, self);
  const Device device = self.device();
  const ScalarType type = self.dtype();
  const ReductionLoop loop = device.is_cuda() ? nullptr : kernel.cpu(type);
  const KernelLaunch launch = device.is_cuda() ? kernel.cuda(type) : nullptr;
  if (!loop && !launch) no_kernel(op, type, device);
  const Tensor rows = as_rows(self, dims);
  Tensor result = allocate(dims.result_sizes, kernel.result(type), device);
  RowsPlan plan{rows.impl().data(), result.impl().data(), result.numel(), dims.count};
  if (launch) {
    const Tensor kept = let_teams_share(plan, device);
    try {
      launch(&plan, functor, device_interface(device).current_stream(device.index));
    } catch (const DeviceError& error) {
      rethrow_named(op, error);
    }
    return result;
  }
  const HostKernelScope scope(op, type, device);
  const int64_t rows_at_once = kParallelGrain / std::max<int64_t>(1, plan.size);
  parallel_for(0, plan.count, std::max<int64_t>(1, rows_at_once),
               [&](int64_t first, int64_t last) { loop(plan, first, last, functor); });
  return result;
}

}  // namespace notape
