// What happens when libnotape_cuda is loaded: its device and its kernels register themselves.
#pragma once
#include "autograd/tensor/tensor.h"
#include "cuda/runtime/cuda_device.h"

namespace notape::cuda {

/// The device behind every tensor on cuda:N. Lives as long as the process.
CudaDevice& cuda_device();

}  // namespace notape::cuda

/// Gives cached memory back to the driver (CachingAllocator::empty_cache). By this name, for
/// programs that do not link the library: dlsym(RTLD_DEFAULT, ...).
extern "C" void notape_cuda_empty_cache(int device);
