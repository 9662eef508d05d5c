// What elements of tensors are made of a RandomStream's numbers, each in its way: number i becomes
// element i. The same on every device, to the last bit; GPUs call it, too.
#pragma once
#include <algorithm>
#include <variant>

#include "autograd/tensor/bool.h"
#include "autograd/tensor/random_stream.h"
#include "autograd/tensor/scalar_type.h"

namespace notape {

// Each says which numbers it takes for elements of type T, whether T may be asked for, and of().
enum class RandomNumbers : uint8_t { Words, Uniform, Normal, Exponential, Blocks };

template <RandomNumbers numbers>
struct DrawnFloating {
  static constexpr RandomNumbers kNumbers = numbers;
  template <typename T>
  using Number = Drawn<T>;
  template <typename T>
  static constexpr bool makes = is_floating_v<T>;
};
/// Of every type those of double, rounded.
template <RandomNumbers numbers>
struct DrawnDouble : DrawnFloating<numbers> {
  template <typename T>
  using Number = double;
};

/// In [0, 1) with as many bits as T has, at most 24 below double: more could round to 1.
struct UniformBelowOne : DrawnFloating<RandomNumbers::Uniform> {
  template <typename T>
  constexpr T of(Drawn<T> u) const {
    if constexpr (std::is_same_v<T, Drawn<T>>) {
      return u;
    } else {
      constexpr float kSteps = static_cast<float>(1 << std::numeric_limits<T>::digits);
      return static_cast<T>(static_cast<float>(static_cast<int32_t>(u * kSteps)) / kSteps);
    }
  }
};
/// In [from, to), of which `low` and `last` are the first and the last number of T.
struct UniformBetween : DrawnFloating<RandomNumbers::Uniform> {
  double from, to, low, last;
  UniformBetween(double begin, double end, double lowest, double highest)
      : from(begin), to(end), low(lowest), last(highest) {}
  template <typename T>
  constexpr T of(Drawn<T> u) const {
    const double drawn = from + (to - from) * static_cast<double>(u);
    return static_cast<T>(std::min(std::max(drawn, low), last));  // rounded it is between them, too
  }
};
struct UniformOfDouble : DrawnDouble<RandomNumbers::Uniform> {
  double from, to;
  UniformOfDouble(double begin, double end) : from(begin), to(end) {}
  template <typename T>
  constexpr T of(double u) const {
    return static_cast<T>(from + (to - from) * u);
  }
};
struct StandardNormal : DrawnFloating<RandomNumbers::Normal> {
  template <typename T>
  constexpr T of(Drawn<T> z) const {
    return static_cast<T>(z);
  }
};
struct NormalAround : DrawnFloating<RandomNumbers::Normal> {
  double mean, std;
  NormalAround(double center, double deviation) : mean(center), std(deviation) {}
  template <typename T>
  constexpr T of(Drawn<T> z) const {
    return static_cast<T>(mean + std * static_cast<double>(z));
  }
};
struct NormalOfDouble : DrawnDouble<RandomNumbers::Normal> {
  template <typename T>
  constexpr T of(double z) const {
    return static_cast<T>(z);
  }
};
struct ExponentialOfRate : DrawnFloating<RandomNumbers::Exponential> {
  double rate;
  explicit ExponentialOfRate(double lambd) : rate(lambd) {}
  template <typename T>
  constexpr T of(Drawn<T> x) const {
    return static_cast<T>(static_cast<double>(x) / rate);
  }
};
/// 1 with probability p, else 0.
struct OneWithProbability : DrawnDouble<RandomNumbers::Uniform> {
  double p;
  explicit OneWithProbability(double probability) : p(probability) {}
  template <typename T>
  static constexpr bool makes = true;
  template <typename T>
  constexpr T of(double u) const {
    return static_cast<T>(u < p ? 1.0 : 0.0);
  }
};
/// True where a word is greater.
struct WordAbove {
  static constexpr RandomNumbers kNumbers = RandomNumbers::Words;
  template <typename T>
  using Number = uint32_t;
  template <typename T>
  static constexpr bool makes = std::is_same_v<T, Bool>;
  uint32_t last_dropped;
  template <typename T>
  constexpr T of(uint32_t word) const {
    return T(word > last_dropped);
  }
};
/// Whole numbers of [from, from + range), 0 standing for 2^64: the upper half of a product with 128
/// random bits, so that none is likelier than another by more than 2^-64 of its probability.
struct WholeNumbers {
  static constexpr RandomNumbers kNumbers = RandomNumbers::Blocks;
  template <typename T>
  static constexpr bool makes = true;
  int64_t from;
  uint64_t range;

  template <typename T>
  constexpr T of(const std::array<uint32_t, 4>& words) const {
    const uint64_t high = uint64_t{words[0]} << 32 | words[1];
    const uint64_t low = uint64_t{words[2]} << 32 | words[3];
    const uint64_t carried = upper_half(low, range), sum = high * range + carried;
    const uint64_t drawn =
        range == 0 ? high : upper_half(high, range) + static_cast<uint64_t>(sum < carried);
    return static_cast<T>(static_cast<int64_t>(static_cast<uint64_t>(from) + drawn));
  }

 private:
  /// Of a 128-bit product.
  static constexpr uint64_t upper_half(uint64_t a, uint64_t b) {
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & UINT32_MAX);
    return a1 * b1 + (middle >> 32) + (other >> 32);
  }
};

using RandomElements =
    std::variant<UniformBelowOne, UniformBetween, UniformOfDouble, StandardNormal, NormalAround,
                 NormalOfDouble, ExponentialOfRate, OneWithProbability, WordAbove, WholeNumbers>;

}  // namespace notape
