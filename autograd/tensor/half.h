// Half and BFloat16: floating-point numbers of 16 bits. They are for keeping; what computes with
// them computes in float and rounds the result, to nearest and even, once.
#pragma once
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

namespace notape {

namespace detail {

/// A float from which rounding to fewer digits gives what it would give from `value`: cut off, with
/// the last bit set where something was cut off.
constexpr float cut_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value) return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  const double magnitude = value < 0 ? -value : value;
  const double reached = nearest < 0 ? -static_cast<double>(nearest) : static_cast<double>(nearest);
  if (reached > magnitude) --bits;
  return std::bit_cast<float>(bits | 1);
}

/// A 16-bit number as its bits, with `Format` saying what they mean.
template <typename Format>
class Number16 {
 public:
  Number16() = default;
  template <typename T>
  requires std::integral<T> || std::floating_point<T>
  constexpr explicit Number16(T value) : bits_(Format::round(rounded_once(value))) {}
  template <typename Other>
  requires(!std::same_as<Other, Format>) constexpr explicit Number16(const Number16<Other>& other)
      : Number16(static_cast<float>(other)) {}

  constexpr operator float() const { return Format::widen(bits_); }

  constexpr uint16_t bits() const { return bits_; }
  static constexpr Number16 from_bits(uint16_t bits) {
    Number16 result;
    result.bits_ = bits;
    return result;
  }

 private:
  template <typename T>
  static constexpr float rounded_once(T value) {
    if constexpr (std::same_as<T, float>)
      return value;
    else
      return cut_to_odd(static_cast<double>(value));
  }

  uint16_t bits_ = 0;
};

struct HalfFormat {
  static constexpr int kDigits = 11, kLowestExponent = -24;  // of 2, of the smallest number
  static constexpr uint16_t kLargest = 0x7bff, kInfinity = 0x7c00, kNaN = 0x7e00;
  static constexpr float widen(uint16_t bits) {
    const uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= kInfinity) return std::bit_cast<float>(sign | 0x7f800000u | magnitude << 13);
    // The exponent lands 112 too low, also that of numbers below the smallest normal one.
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(scaled));
  }
  static constexpr uint16_t round(float value) {
    const auto all = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>(all >> 16 & 0x8000u);
    const uint32_t magnitude = all & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | kNaN;
    if (magnitude >= 0x477ff000u) return sign | kInfinity;  // 65520 and more
    if (magnitude < 0x38800000u) {                          // less than the smallest normal number
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;  // whose last bit is 2^-24
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
    }
    const uint32_t even = magnitude >> 13 & 1;
    return static_cast<uint16_t>(sign | (magnitude - 0x38000000u + 0xfffu + even) >> 13);
  }
};

struct BFloat16Format {
  static constexpr int kDigits = 8, kLowestExponent = -133;
  static constexpr uint16_t kLargest = 0x7f7f, kInfinity = 0x7f80, kNaN = 0x7fc0;
  static constexpr float widen(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  static constexpr uint16_t round(float value) {
    const auto all = std::bit_cast<uint32_t>(value);
    if ((all & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(all >> 16 | 0x40u);
    return static_cast<uint16_t>((all + 0x7fffu + (all >> 16 & 1)) >> 16);
  }
};

}  // namespace detail

using Half = detail::Number16<detail::HalfFormat>;          ///< IEEE 754 binary16
using BFloat16 = detail::Number16<detail::BFloat16Format>;  ///< the upper half of a float

/// Of C++'s own types and these two.
template <typename T>
inline constexpr bool is_floating_v =
    std::floating_point<T> || std::same_as<T, Half> || std::same_as<T, BFloat16>;

}  // namespace notape

template <typename Format>
class std::numeric_limits<notape::detail::Number16<Format>> {
  using Number = notape::detail::Number16<Format>;

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false,
                        is_exact = false, has_infinity = true, has_quiet_NaN = true;
  static constexpr int digits = Format::kDigits, radix = 2;
  static constexpr Number max() { return Number::from_bits(Format::kLargest); }
  static constexpr Number lowest() { return Number::from_bits(Format::kLargest | 0x8000); }
  static constexpr Number denorm_min() { return Number::from_bits(1); }
  static constexpr Number min() { return Number::from_bits(1 << (digits - 1)); }
  static constexpr Number epsilon() { return Number(1.0f / (1 << (digits - 1))); }
  static constexpr Number infinity() { return Number::from_bits(Format::kInfinity); }
  static constexpr Number quiet_NaN() { return Number::from_bits(Format::kNaN); }
};
