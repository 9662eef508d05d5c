// Teams of a GPU, and kernels in which a team works at each of many slices. For nvcc.
#pragma once
#include <cuda_runtime.h>

#include "ops/core/register_cuda.h"
#include "ops/reduce/team.h"

namespace notape::detail {

inline constexpr int kTeamThreads = 256;
inline constexpr int64_t kLongRow = 64, kMostBlocks = 65535;

/// The threads of a block.
class BlockTeam {
 public:
  __device__ explicit BlockTeam(void* scratch) : scratch_(scratch) {}
  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int size() const { return kTeamThreads; }
  __device__ void sync() const { __syncthreads(); }
  __device__ void* scratch() const { return scratch_; }

 private:
  void* scratch_;
};

/// work(slice, team) for each of `count` slices, a block at each.
template <typename Work>
__global__ void each_by_blocks(Work work, int64_t count) {
  __shared__ alignas(16) char scratch[kTeamThreads * kScratch];
  const BlockTeam team(scratch);
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) work(i, team);
}
/// The same, a thread at each.
template <typename Work>
__global__ void each_by_threads(Work work, int64_t count) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    work(i, LoneThread());
}

inline unsigned blocks_for(int64_t wanted) {
  return static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
}

/// Queues work(slice, team) for `count` slices. Throw DeviceError.
template <typename Work>
void launch_by_blocks(const Work& work, int64_t count, void* stream) {
  if (count == 0) return;
  each_by_blocks<<<blocks_for(count), kTeamThreads, 0, static_cast<cudaStream_t>(stream)>>>(work,
                                                                                            count);
  check_launch(cudaGetLastError());
}
template <typename Work>
void launch_by_threads(const Work& work, int64_t count, void* stream) {
  if (count == 0) return;
  const unsigned blocks = blocks_for((count + kTeamThreads - 1) / kTeamThreads);
  each_by_threads<<<blocks, kTeamThreads, 0, static_cast<cudaStream_t>(stream)>>>(work, count);
  check_launch(cudaGetLastError());
}
template <typename Work>
void launch_each(const Work& work, int64_t count, bool by_blocks, void* stream) {
  if (by_blocks)
    launch_by_blocks(work, count, stream);
  else
    launch_by_threads(work, count, stream);
}

}  // namespace notape::detail
