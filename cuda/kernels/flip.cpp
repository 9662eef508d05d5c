// flip on a GPU: a copy that reads some dimensions backwards.
#include "ops/shape/flip.h"

#include "autograd/tensor/device_interface.h"
#include "cuda/kernels/copy.h"

namespace notape::cuda {
namespace {

void flip_on_cuda(const Operation&, const Tensor& result, const Tensor& self,
                  const std::vector<bool>& reversed) {
  const auto bytes = static_cast<int64_t>(element_size(self.dtype()));
  ElementwisePlan plan;
  plan.operands = 2;
  plan.numel = self.numel();
  plan.data[0] = static_cast<char*>(result.impl().data());
  plan.data[1] = static_cast<char*>(self.impl().data());
  int64_t step = bytes;
  for (int64_t d = self.dim(); d-- > 0; step *= self.size(d)) {
    const bool is_reversed = reversed[static_cast<std::size_t>(d)];
    plan.sizes[plan.ndim] = self.size(d);
    plan.strides[plan.ndim][0] = step;
    plan.strides[plan.ndim][1] = is_reversed ? -step : step;
    if (is_reversed) plan.data[1] += (self.size(d) - 1) * step;
    ++plan.ndim;
  }
  const Device device = self.device();
  launch_copy(plan, self.dtype(), self.dtype(),
              device_interface(device).current_stream(device.index));
}

const Implementation on_cuda(flip_kernel, kCUDA, flip_on_cuda);

}  // namespace
}  // namespace notape::cuda
