#include "cuda/kernels/blas.h"

#include <map>

namespace notape::cuda {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError("cuBLAS: {}", cublasGetStatusString(status));
}

BlasHandle& blas_handle(Device device, void* stream) {
  static std::mutex lock;
  static auto* const handles = new std::map<std::pair<int, void*>, BlasHandle>;
  const std::lock_guard guard(lock);
  BlasHandle& handle = (*handles)[{device.index, stream}];
  if (!handle.native) {
    check(cublasCreate(&handle.native));
    check(cublasSetStream(handle.native, static_cast<cudaStream_t>(stream)));
  }
  return handle;
}

}  // namespace notape::cuda
