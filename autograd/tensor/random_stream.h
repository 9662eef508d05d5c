// RandomStream: the random numbers of one tensor. Its key is drawn from a Generator; number i
// follows from the key and i alone, so that any part can be computed by itself and by any thread.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "autograd/tensor/generator.h"

namespace notape {

class RandomStream {
 public:
  /// Parts begin at multiples of this.
  static constexpr int64_t kPart = 128;

  /// Draws the key.
  explicit RandomStream(Generator& generator) : key_(generator.next64()) {}

  /// philox(key, k) are four words; a part is the first words of its 32 blocks, then the second
  /// ones, and so on.
  uint64_t key() const { return key_; }

  /// Numbers first, ..., first + count - 1 of the stream, of 32 bits each.
  void words(int64_t first, int64_t count, uint32_t* result) const;
  /// Uniform in [0, 1): 24 bits for float, 53 for double.
  void uniform(int64_t first, int64_t count, float* result) const;
  void uniform(int64_t first, int64_t count, double* result) const;
  /// Standard normal (Box and Muller), at most 6.6 and 8.5 in size.
  void normal(int64_t first, int64_t count, float* result) const;
  void normal(int64_t first, int64_t count, double* result) const;
  /// Exponential of rate 1, never 0.
  void exponential(int64_t first, int64_t count, float* result) const;
  void exponential(int64_t first, int64_t count, double* result) const;

 private:
  uint64_t key_;
};

/// What numbers for elements of type T are drawn as.
template <typename T>
using Drawn = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// result[i] = f(number first + i), with draw(first, count, numbers) for a block at a time.
template <typename Number, typename T, typename Draw, typename F>
void draw_each(int64_t first, int64_t count, T* result, const Draw& draw, const F& f) {
  constexpr int64_t kBlock = 4 * RandomStream::kPart;
  Number numbers[kBlock];
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t size = std::min(kBlock, count - at);
    draw(first + at, size, numbers);
    for (int64_t i = 0; i < size; ++i) result[at + i] = static_cast<T>(f(numbers[i]));
  }
}

/// Uniform in [0, 1) with as many bits as T has, at most 24 below double: more could round to 1.
template <typename T>
void draw_uniform(const RandomStream& stream, int64_t first, int64_t count, T* result) {
  if constexpr (std::is_same_v<T, Drawn<T>>) {
    stream.uniform(first, count, result);
  } else {
    constexpr float kSteps = static_cast<float>(1 << std::numeric_limits<T>::digits);
    draw_each<float>(
        first, count, result,
        [&](int64_t at, int64_t n, float* numbers) { stream.uniform(at, n, numbers); },
        [](float u) { return static_cast<float>(static_cast<int32_t>(u * kSteps)) / kSteps; });
  }
}

/// mean + std z, z standard normal.
template <typename T>
void draw_normal(const RandomStream& stream, int64_t first, int64_t count, T* result,
                 double mean = 0, double std = 1) {
  if constexpr (std::is_same_v<T, Drawn<T>>)
    if (mean == 0 && std == 1) return stream.normal(first, count, result);
  draw_each<Drawn<T>>(
      first, count, result,
      [&](int64_t at, int64_t n, Drawn<T>* numbers) { stream.normal(at, n, numbers); },
      [=](Drawn<T> z) { return mean + std * static_cast<double>(z); });
}

}  // namespace notape
