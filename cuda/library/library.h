// What happens when libnotape_cuda is loaded: its device and its kernels register themselves.
#pragma once
#include "autograd/tensor/tensor.h"
#include "cuda/runtime/cuda_device.h"

namespace notape::cuda {

/// The device behind every tensor on cuda:N. Lives as long as the process.
CudaDevice& cuda_device();

}  // namespace notape::cuda
