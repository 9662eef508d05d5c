#include "cuda/library/library.h"

#include "cuda/kernels/kernels.h"
#include "cuda/library/runtime_driver.h"
#include "ops/core/raw_copy.h"
#include "ops/linalg/gemm.h"
#include "ops/reduce/reduce.h"

namespace notape::cuda {

CudaDevice& cuda_device() {
  static auto* const device = new CudaDevice(runtime_driver());
  return *device;
}

void record_stream(const Tensor& tensor, const Stream& stream) {
  const Device device = tensor.device();
  if (!device.is_cuda()) throw DeviceError("record_stream: the tensor is on {}", to_string(device));
  cuda_device().allocator(device.index).record_use(tensor.impl().storage()->data(), stream.handle);
}

namespace {

// Elementwise kernels register themselves, each in its operator's file.
[[maybe_unused]] const bool registered = [] {
  register_device(DeviceType::CUDA, &cuda_device());
  set_cuda_copy(copy_on_cuda);
  gemm_kernel.implement(kCUDA, gemm_on_cuda);
  sum_rows_kernel.implement(kCUDA, sum_rows_on_cuda);
  return true;
}();

}  // namespace
}  // namespace notape::cuda
