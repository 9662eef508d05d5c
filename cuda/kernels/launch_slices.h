// Kernels of slices.h queued on a GPU. For nvcc.
#pragma once
#include "autograd/tensor/device_interface.h"
#include "cuda/kernels/slices.h"
#include "ops/core/allocate.h"
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

/// work(slice, team) for `count` slices of `size` elements: a thread at each or, if `by_blocks`, a
/// block, or several where slices are few and long. `on` is on the device.
template <typename Work>
void launch_teams(const Work& work, int64_t count, int64_t size, bool by_blocks, const Tensor& on) {
  void* const stream = stream_of(on);
  if constexpr (requires { work.folds(); })
    if (Passes passes{by_blocks ? teams_for_slice(count, size) : 1, work.folds()};
        passes.teams > 1) {
      const Tensor kept = allocate(IntArrayRef({passes.bytes(count)}), kUInt8, on.device());
      passes.kept = static_cast<char*>(kept.impl().data());
      return detail::launch_by_several(work, count, passes, stream);
    }
  detail::launch_each(work, count, by_blocks, stream);
}

/// By blocks where slices are long and their elements lie side by side, or where a thread at each
/// would leave a GPU idle.
template <typename Work>
void launch_slices(const Work& work, const Slices& slices, const Tensor& on) {
  constexpr int64_t kFew = 1024;
  const bool by_blocks = slices.inner == 1
                             ? slices.size >= detail::kLongRow
                             : slices.size >= 4 * detail::kLongRow && slices.count() < kFew;
  launch_teams(work, slices.count(), slices.size, by_blocks, on);
}

}  // namespace notape::cuda
