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

}  // namespace notape
