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

/// The same for so many threads that take steps of the grid's size: in blocks of 256, or in one of
/// no more warps than have something to do.
template <typename... Expected, typename... Actual>
void launch_threads(void (*kernel)(Expected...), int64_t wanted, void* stream,
                    const Actual&... arguments) {
  constexpr int64_t kThreads = 256, kWarp = 32, kMostBlocks = 65535;
  const int64_t blocks = (wanted + kThreads - 1) / kThreads;
  const int64_t threads = blocks == 1 ? (wanted + kWarp - 1) / kWarp * kWarp : kThreads;
  launch(kernel, static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks),
         static_cast<unsigned>(threads), stream, arguments...);
}

}  // namespace notape::detail
