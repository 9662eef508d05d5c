// Numbers made of random words, without branches, tables or calls: the CPU's loops over them become
// vector instructions, and GPUs call them, too, for the same bits.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace notape::detail {

/// log(u) for normal u in (0, 1], within an ulp or so: u = 2^k m, m near 1, and the series of
/// atanh(s), s = (m - 1) / (m + 1) (FreeBSD's e_logf.c and e_log.c).
constexpr float log_of(float u) {
  constexpr uint32_t kOne = 0x3f800000, kRootHalf = 0x3f3504f3;
  const uint32_t bits = std::bit_cast<uint32_t>(u) + (kOne - kRootHalf);
  const auto k = static_cast<float>(static_cast<int32_t>(bits >> 23) - 127);
  const float f = std::bit_cast<float>((bits & 0x007fffff) + kRootHalf) - 1.0f;
  const float s = f / (2.0f + f), z = s * s, w = z * z;
  const float series =
      z * (0xaaaaaa.0p-24f + w * 0x91e9ee.0p-25f) + w * (0xccce13.0p-25f + w * 0xf89e26.0p-26f);
  const float half = 0.5f * f * f;
  return s * (half + series) + k * 9.0580006145e-06f - half + f + k * 6.9313812256e-01f;
}
constexpr double log_of(double u) {
  constexpr uint64_t kOne = uint64_t{0x3ff00000} << 32, kRootHalf = uint64_t{0x3fe6a09e} << 32;
  const uint64_t bits = std::bit_cast<uint64_t>(u) + (kOne - kRootHalf);
  // A small whole number as the last bits of 2^52 is a double without a conversion.
  const double k = std::bit_cast<double>((bits >> 52) | (uint64_t{0x433} << 52)) - (0x1p52 + 1023);
  const double f = std::bit_cast<double>((bits & 0x000fffffffffffff) + kRootHalf) - 1.0;
  const double s = f / (2.0 + f), z = s * s, w = z * z;
  const double even = w * (3.999999999940941908e-01 +
                           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = z * (6.666666666666735130e-01 +
                          w * (2.857142874366239149e-01 +
                               w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double half = 0.5 * f * f;
  return s * (half + even + odd) + k * 1.90821492927058770002e-10 - half + f +
         k * 6.93147180369123816490e-01;
}

/// For |x| <= pi / 4.
template <typename T>
struct SineCosine {
  T sine, cosine;
};
constexpr SineCosine<float> sine_cosine(float x) {
  const float z = x * x;
  return {
      x + x * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f)),
      1.0f - 0.5f * z +
          z * z *
              (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f))};
}
constexpr SineCosine<double> sine_cosine(double x) {
  const double z = x * x;
  const double sine =
      -1.66666666666666324348e-01 +
      z * (8.33333333332248946124e-03 +
           z * (-1.98412698298579493134e-04 +
                z * (2.75573137070700676789e-06 +
                     z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
  const double cosine =
      4.16666666666666019037e-02 +
      z * (-1.38888888888741095749e-03 +
           z * (2.48015872894767294178e-05 +
                z * (-2.75573143513906633035e-07 +
                     z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
  return {x + x * z * sine, 1.0 - 0.5 * z + z * z * cosine};
}

/// Cosine and sine of a number of quarter turns, 0 to 3, and the angle that `of` is of.
template <typename T, typename Bits>
constexpr void turn(SineCosine<T> of, Bits quarter, T& cosine, T& sine) {
  constexpr int kSign = 8 * sizeof(T) - 1;
  const Bits swap = Bits(0) - (quarter & 1);  // all bits or none
  const auto c = std::bit_cast<Bits>(of.cosine), s = std::bit_cast<Bits>(of.sine);
  const Bits different = (c ^ s) & swap;
  cosine = std::bit_cast<T>((c ^ different) ^ (((quarter ^ (quarter >> 1)) & 1) << kSign));
  sine = std::bit_cast<T>((s ^ different) ^ ((quarter >> 1) << kSign));
}

constexpr uint64_t joined(uint32_t high, uint32_t low) { return (uint64_t{high} << 32) | low; }

/// In (0, 1]: 31 bits, rounded, or 52.
constexpr float above_zero(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 1) | 1) * 0x1p-31f;
}
constexpr double above_zero(uint64_t word) {
  return 2.0 - std::bit_cast<double>((word >> 12) | (uint64_t{0x3ff} << 52));
}

/// An angle of [-pi / 4, pi / 4) by all bits but the highest two.
constexpr float within_quarter(uint32_t word) {
  constexpr auto kQuarter = static_cast<float>(std::numbers::pi / 2);
  return static_cast<float>(static_cast<int32_t>(word << 2)) * (0x1p-32f * kQuarter);
}
constexpr double within_quarter(uint64_t word) {
  return (std::bit_cast<double>(((word << 2) >> 12) | (uint64_t{0x3ff} << 52)) - 1.5) *
         (std::numbers::pi / 2);
}

/// The radius by one word, the angle by another: its highest two bits are the quarter.
template <typename T, typename Bits>
constexpr void normal_pair(Bits first, Bits second, T& a, T& b) {
  const T radius = std::sqrt(T(-2) * log_of(above_zero(first)));
  T cosine, sine;
  turn(sine_cosine(within_quarter(second)), static_cast<Bits>(second >> (8 * sizeof(Bits) - 2)),
       cosine, sine);
  a = radius * cosine;
  b = radius * sine;
}

/// In [0, 1): 24 bits, or 53 of two words.
constexpr float below_one(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 8)) * 0x1p-24f;
}
constexpr double below_one(uint32_t high, uint32_t low) {
  return (static_cast<int32_t>(high >> 5) * 0x1p26 + static_cast<int32_t>(low >> 6)) * 0x1p-53;
}

/// Exponential of rate 1, never 0.
constexpr float exponential_of(uint32_t word) {
  const float value = -log_of(above_zero(word));
  return value > 0x1p-25f ? value : 0x1p-25f;
}
constexpr double exponential_of(uint64_t word) {
  const double value = -log_of(above_zero(word));
  return value > 0x1p-53 ? value : 0x1p-53;
}

}  // namespace notape::detail
