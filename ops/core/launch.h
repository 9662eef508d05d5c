// How kernels are queued. Plain C++, for nvcc and for the emulated GPU (cuda/emulated).
#pragma once
#include <cuda_runtime.h>

#include "ops/core/register_cuda.h"

namespace notape::detail {

/// Queues kernel(arguments...) for `blocks` blocks of `threads` threads. Throws DeviceError.
template <typename... Expected, typename... Actual>
void launch(void (*kernel)(Expected...), unsigned blocks, unsigned threads, void* stream,
            const Actual&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = static_cast<cudaStream_t>(stream);
  const cudaError_t status = cudaLaunchKernelEx(&config, kernel, arguments...);
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  launch_failed(cudaGetErrorString(status), cudaGetLastError() != cudaSuccess);
}

}  // namespace notape::detail
