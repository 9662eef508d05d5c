// What happens when libnotape_cuda is loaded: its device and its kernels register themselves.
#pragma once
#include "autograd/tensor/tensor.h"
#include "cuda/runtime/cuda_device.h"

namespace notape::cuda {

/// The device behind every tensor on cuda:N. Lives as long as the process.
CudaDevice& cuda_device();

/// Says that work on a stream other than the one it was made on uses the tensor: its memory is not
/// reused before that work is done. Throws DeviceError for a tensor on the CPU.
void record_stream(const Tensor& tensor, const Stream& stream);

}  // namespace notape::cuda

/// Gives cached memory back to the driver (CachingAllocator::empty_cache). By this name, for
/// programs that do not link the library: dlsym(RTLD_DEFAULT, ...).
extern "C" void notape_cuda_empty_cache(int device);
