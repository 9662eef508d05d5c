// Random elements on the CPU, a part of the stream for each thread.
#include "ops/random/draw_elements.h"

#include "autograd/tensor/philox.h"
#include "ops/parallel.h"

namespace notape {
namespace {

static_assert(kParallelGrain % RandomStream::kPart == 0);

template <RandomNumbers numbers, typename Number>
void draw_numbers(const RandomStream& stream, int64_t first, int64_t count, Number* result) {
  if constexpr (numbers == RandomNumbers::Words)
    stream.words(first, count, result);
  else if constexpr (numbers == RandomNumbers::Uniform)
    stream.uniform(first, count, result);
  else if constexpr (numbers == RandomNumbers::Normal)
    stream.normal(first, count, result);
  else
    stream.exponential(first, count, result);
}

template <typename Element>
constexpr bool is_number_itself =
    std::is_same_v<Element, UniformBelowOne> || std::is_same_v<Element, StandardNormal>;

/// Elements first, ..., first + count - 1, a block at a time.
template <typename T, typename Element>
void draw_some(const RandomStream& stream, int64_t first, int64_t count, T* result,
               const Element& element) {
  if constexpr (Element::kNumbers == RandomNumbers::Blocks && std::is_same_v<T, int64_t>) {
    for (int64_t i = 0; i < count; ++i)
      result[i] = element.template of<T>(philox_of(stream.key(), static_cast<uint64_t>(first + i)));
  } else if constexpr (Element::kNumbers == RandomNumbers::Blocks) {
    int64_t numbers[256];  // vector instructions for bytes would be 30 KB
    for (int64_t at = 0, size = 0; at < count; at += size) {
      size = std::min<int64_t>(std::size(numbers), count - at);
      draw_some(stream, first + at, size, numbers, element);
      for (int64_t i = 0; i < size; ++i) result[at + i] = static_cast<T>(numbers[i]);
    }
  } else {
    using Number = typename Element::template Number<T>;
    if constexpr (is_number_itself<Element> && std::is_same_v<T, Number>) {
      draw_numbers<Element::kNumbers>(stream, first, count, result);
    } else {
      constexpr int64_t kBlock = 4 * RandomStream::kPart;
      Number numbers[kBlock];
      for (int64_t at = 0; at < count; at += kBlock) {
        const int64_t size = std::min(kBlock, count - at);
        draw_numbers<Element::kNumbers>(stream, first + at, size, numbers);
        for (int64_t i = 0; i < size; ++i) result[at + i] = element.template of<T>(numbers[i]);
      }
    }
  }
}

}  // namespace

void draw_on_cpu(const Tensor& result, const RandomStream& stream, const RandomElements& elements) {
  std::visit(
      [&]<typename Element>(const Element& element) {
        visit_type(result.dtype(), [&]<typename T>() {
          if constexpr (Element::template makes<Stored<T>>) {
            auto* const values = result.impl().data_as<Stored<T>>();
            parallel_for(0, result.numel(), kParallelGrain, [&](int64_t first, int64_t last) {
              draw_some(stream, first, last - first, values + first, element);
            });
          }
        });
      },
      elements);
}

constinit DrawKernel draw_kernel([](const Operation&, const Tensor& result,
                                    const RandomStream& stream, const RandomElements& elements) {
  draw_on_cpu(result, stream, elements);
});

}  // namespace notape
