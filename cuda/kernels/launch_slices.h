// Kernels of slices.h queued on a GPU. For nvcc.
#pragma once
#include "autograd/tensor/device_interface.h"
#include "cuda/kernels/slices.h"
#include "ops/reduce/team_cuda.h"

namespace notape::cuda {

inline void* stream_of(const Tensor& tensor) {
  const Device device = tensor.device();
  return device_interface(device).current_stream(device.index);
}

template <typename T>
T* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.impl().data_as<T>() : nullptr;
}

/// A block at each long slice whose elements lie side by side, else a thread at each.
template <typename Work>
void launch_slices(const Work& work, const Slices& slices, void* stream) {
  const bool by_blocks = slices.inner == 1 && slices.size >= detail::kLongRow;
  detail::launch_each(work, slices.count(), by_blocks, stream);
}

}  // namespace notape::cuda
