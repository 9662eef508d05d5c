#include "cuda/kernels/sum_rows.h"

#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/tensor.h"
#include "cuda/kernels/kernels.h"

namespace notape::cuda {

void sum_rows_on_cuda(const Operation&, const Tensor& result, const Tensor& rows, int64_t count,
                      double divisor) {
  const Device device = result.device();
  launch_sum_rows(rows.dtype(), result.impl().data(), rows.impl().data(), result.numel(), count,
                  divisor, device_interface(device).current_stream(device.index));
}

}  // namespace notape::cuda
