// Random elements drawn on a GPU: those that the CPU draws.
#include "autograd/tensor/philox.h"
#include "autograd/tensor/random_formulas.h"
#include "cuda/kernels/launch_slices.h"
#include "cuda/library/library.h"
#include "ops/random/draw_elements.h"

namespace notape::cuda {
namespace {

/// The numbers of one block of words, as RandomStream makes them.
template <RandomNumbers numbers, typename Number>
__device__ void numbers_of(const std::array<uint32_t, 4>& w,
                           Number (&result)[16 / sizeof(Number)]) {
  constexpr bool kIsDouble = std::is_same_v<Number, double>;
  for (int k = 0; k < static_cast<int>(16 / sizeof(Number)); ++k) {
    const auto at = static_cast<std::size_t>(kIsDouble ? 2 * k : k);
    if constexpr (numbers == RandomNumbers::Words)
      result[k] = w[at];
    else if constexpr (numbers == RandomNumbers::Uniform && kIsDouble)
      result[k] = detail::below_one(w[at], w[at + 1]);
    else if constexpr (numbers == RandomNumbers::Uniform)
      result[k] = detail::below_one(w[at]);
    else if constexpr (numbers == RandomNumbers::Exponential && kIsDouble)
      result[k] = detail::exponential_of(detail::joined(w[at], w[at + 1]));
    else if constexpr (numbers == RandomNumbers::Exponential)
      result[k] = detail::exponential_of(w[at]);
  }
  if constexpr (numbers == RandomNumbers::Normal && kIsDouble) {
    detail::normal_pair(detail::joined(w[0], w[1]), detail::joined(w[2], w[3]), result[0],
                        result[1]);
  } else if constexpr (numbers == RandomNumbers::Normal) {
    detail::normal_pair(w[0], w[1], result[0], result[1]);
    detail::normal_pair(w[2], w[3], result[2], result[3]);
  }
}

/// A thread for each block of words.
template <typename T, typename Element>
struct DrawBlock {
  T* result;
  int64_t count;
  uint64_t key;
  Element element;

  __device__ void operator()(int64_t block, const LoneThread&) const {
    const std::array<uint32_t, 4> words = philox_of(key, static_cast<uint64_t>(block));
    if constexpr (Element::kNumbers == RandomNumbers::Blocks) {
      result[block] = element.template of<T>(words);
    } else {
      using Number = typename Element::template Number<T>;
      constexpr int64_t kBlocks = RandomStream::kPart / 4;  // side by side
      constexpr int kMade = 16 / sizeof(Number);
      Number numbers[kMade];
      numbers_of<Element::kNumbers>(words, numbers);
      int64_t i = block / kBlocks * (kMade * kBlocks) + block % kBlocks;
      for (int k = 0; k < kMade && i < count; ++k, i += kBlocks)
        result[i] = element.template of<T>(numbers[k]);
    }
  }

  int64_t blocks() const {
    if constexpr (Element::kNumbers == RandomNumbers::Blocks) {
      return count;
    } else {
      constexpr int64_t kPart =
          RandomStream::kPart * 4 / sizeof(typename Element::template Number<T>);
      return (count + kPart - 1) / kPart * (RandomStream::kPart / 4);
    }
  }
};

void draw_on_cuda(const Operation&, const Tensor& result, const RandomStream& stream,
                  const RandomElements& elements) {
  cuda_device().refuse_capture("random numbers: they would stay the same", result.device().index);
  std::visit(
      [&]<typename Element>(const Element& element) {
        visit_type(result.dtype(), [&]<typename T>() {
          if constexpr (Element::template makes<Stored<T>>) {
            const DrawBlock<Stored<T>, Element> work{result.impl().data_as<Stored<T>>(),
                                                     result.numel(), stream.key(), element};
            detail::launch_by_threads(work, work.blocks(), stream_of(result));
          }
        });
      },
      elements);
}

const Implementation on_cuda(draw_kernel, kCUDA, draw_on_cuda);

}  // namespace
}  // namespace notape::cuda
