// Masks of dropout drawn on a GPU: the words that the CPU draws.
#include "autograd/tensor/philox.h"
#include "cuda/kernels/launch_slices.h"
#include "ops/random/draw_mask.h"

namespace notape::cuda {
namespace {

/// A thread for each block of random words.
struct DrawMask {
  Bool* mask;
  int64_t count;
  uint64_t key;
  uint32_t last_dropped;

  __device__ void operator()(int64_t block, const LoneThread&) const {
    constexpr int64_t kBlocks = RandomStream::kPart / 4;  // side by side
    const std::array<uint32_t, 4> words = philox_of(key, static_cast<uint64_t>(block));
    int64_t i = block / kBlocks * RandomStream::kPart + block % kBlocks;
    for (int k = 0; k < 4 && i < count; ++k, i += kBlocks)
      mask[i] = words[static_cast<std::size_t>(k)] > last_dropped;
  }
};

void draw_on_cuda(const Operation&, const Tensor& mask, const RandomStream& stream,
                  uint32_t last_dropped) {
  const int64_t parts = (mask.numel() + RandomStream::kPart - 1) / RandomStream::kPart;
  detail::launch_by_threads(
      DrawMask{mask.impl().data_as<Bool>(), mask.numel(), stream.key(), last_dropped},
      parts * (RandomStream::kPart / 4), stream_of(mask));
}

const Implementation on_cuda(mask_kernel, kCUDA, draw_on_cuda);

}  // namespace
}  // namespace notape::cuda
