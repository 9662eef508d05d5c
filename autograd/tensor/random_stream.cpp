// Philox blocks are computed 32 at a time. All loops here are over so many numbers, without
// branches or calls, and are compiled to vector instructions; rounding does not depend on which.
#include "autograd/tensor/random_stream.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace notape {
namespace {

constexpr int kBlocks = 32;
static_assert(RandomStream::kPart == 4 * kBlocks);

/// word[k][j] is word k of block j.
struct Blocks {
  alignas(64) uint32_t word[4][kBlocks];
};

/// Blocks counter, ..., counter + kBlocks - 1: those of philox().
void fill_blocks(uint64_t key, uint64_t counter, Blocks& blocks) {
  auto& [c0, c1, c2, c3] = blocks.word;
  for (int j = 0; j < kBlocks; ++j) {
    const uint64_t at = counter + static_cast<uint64_t>(j);
    c0[j] = static_cast<uint32_t>(at);
    c1[j] = static_cast<uint32_t>(at >> 32);
    c2[j] = c3[j] = 0;
  }
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int j = 0; j < kBlocks; ++j) {
      const uint64_t p0 = uint64_t{0xD2511F53} * c0[j], p1 = uint64_t{0xCD9E8D57} * c2[j];
      c0[j] = static_cast<uint32_t>(p1 >> 32) ^ c1[j] ^ k0;
      c1[j] = static_cast<uint32_t>(p1);
      c2[j] = static_cast<uint32_t>(p0 >> 32) ^ c3[j] ^ k1;
      c3[j] = static_cast<uint32_t>(p0);
    }
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
}

/// log(u) for normal u in (0, 1], within an ulp or so: u = 2^k m, m near 1, and the series of
/// atanh(s), s = (m - 1) / (m + 1) (FreeBSD's e_logf.c and e_log.c).
inline float log_of(float u) {
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
inline double log_of(double u) {
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
inline SineCosine<float> sine_cosine(float x) {
  const float z = x * x;
  return {
      x + x * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f)),
      1.0f - 0.5f * z +
          z * z *
              (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f))};
}
inline SineCosine<double> sine_cosine(double x) {
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
inline void turn(SineCosine<T> of, Bits quarter, T& cosine, T& sine) {
  constexpr int kSign = 8 * sizeof(T) - 1;
  const Bits swap = Bits(0) - (quarter & 1);  // all bits or none
  const auto c = std::bit_cast<Bits>(of.cosine), s = std::bit_cast<Bits>(of.sine);
  const Bits different = (c ^ s) & swap;
  cosine = std::bit_cast<T>((c ^ different) ^ (((quarter ^ (quarter >> 1)) & 1) << kSign));
  sine = std::bit_cast<T>((s ^ different) ^ ((quarter >> 1) << kSign));
}

uint64_t joined(uint32_t high, uint32_t low) { return (uint64_t{high} << 32) | low; }

/// In (0, 1]: 31 bits, rounded, or 52.
inline float above_zero(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 1) | 1) * 0x1p-31f;
}
inline double above_zero(uint64_t word) {
  return 2.0 - std::bit_cast<double>((word >> 12) | (uint64_t{0x3ff} << 52));
}

/// An angle of [-pi / 4, pi / 4) by all bits but the highest two.
inline float within_quarter(uint32_t word) {
  constexpr auto kQuarter = static_cast<float>(std::numbers::pi / 2);
  return static_cast<float>(static_cast<int32_t>(word << 2)) * (0x1p-32f * kQuarter);
}
inline double within_quarter(uint64_t word) {
  return (std::bit_cast<double>(((word << 2) >> 12) | (uint64_t{0x3ff} << 52)) - 1.5) *
         (std::numbers::pi / 2);
}

/// The radius by one word, the angle by another: its highest two bits are the quarter.
template <typename T, typename Bits>
inline void normal_pair(Bits first, Bits second, T& a, T& b) {
  const T radius = std::sqrt(T(-2) * log_of(above_zero(first)));
  T cosine, sine;
  turn(sine_cosine(within_quarter(second)), static_cast<Bits>(second >> (8 * sizeof(Bits) - 2)),
       cosine, sine);
  a = radius * cosine;
  b = radius * sine;
}

/// f(blocks, values) makes kPart or, of doubles, half as many numbers of the blocks.
template <typename T, typename F>
void fill(uint64_t key, int64_t first, int64_t count, T* result, const F& f) {
  constexpr int64_t kMade = RandomStream::kPart * 4 / static_cast<int64_t>(sizeof(T));
  Blocks blocks;
  auto counter = static_cast<uint64_t>(first / kMade) * kBlocks;
  for (int64_t at = 0; at < count; at += kMade, counter += kBlocks) {
    fill_blocks(key, counter, blocks);
    if (at + kMade <= count) {
      f(blocks.word, result + at);
    } else {
      alignas(64) T values[kMade];
      f(blocks.word, values);
      std::copy_n(values, count - at, result + at);
    }
  }
}

using Words = const uint32_t (&)[4][kBlocks];

}  // namespace

void RandomStream::words(int64_t first, int64_t count, uint32_t* result) const {
  fill(key_, first, count, result,
       [](Words w, uint32_t* values) { std::copy_n(&w[0][0], 4 * kBlocks, values); });
}

void RandomStream::uniform(int64_t first, int64_t count, float* result) const {
  fill(key_, first, count, result, [](Words w, float* values) {
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < kBlocks; ++j)
        values[k * kBlocks + j] = static_cast<float>(static_cast<int32_t>(w[k][j] >> 8)) * 0x1p-24f;
  });
}

void RandomStream::uniform(int64_t first, int64_t count, double* result) const {
  fill(key_, first, count, result, [](Words w, double* values) {
    for (int k = 0; k < 2; ++k)
      for (int j = 0; j < kBlocks; ++j)
        values[k * kBlocks + j] = (static_cast<int32_t>(w[2 * k][j] >> 5) * 0x1p26 +
                                   static_cast<int32_t>(w[2 * k + 1][j] >> 6)) *
                                  0x1p-53;
  });
}

void RandomStream::normal(int64_t first, int64_t count, float* result) const {
  fill(key_, first, count, result, [](Words w, float* values) {
    for (int k = 0; k < 4; k += 2)
      for (int j = 0; j < kBlocks; ++j)
        normal_pair(w[k][j], w[k + 1][j], values[k * kBlocks + j], values[(k + 1) * kBlocks + j]);
  });
}

void RandomStream::normal(int64_t first, int64_t count, double* result) const {
  fill(key_, first, count, result, [](Words w, double* values) {
    for (int j = 0; j < kBlocks; ++j)
      normal_pair(joined(w[0][j], w[1][j]), joined(w[2][j], w[3][j]), values[j],
                  values[kBlocks + j]);
  });
}

void RandomStream::exponential(int64_t first, int64_t count, float* result) const {
  fill(key_, first, count, result, [](Words w, float* values) {
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < kBlocks; ++j) {
        const float value = -log_of(above_zero(w[k][j]));
        values[k * kBlocks + j] = value > 0x1p-25f ? value : 0x1p-25f;
      }
  });
}

void RandomStream::exponential(int64_t first, int64_t count, double* result) const {
  fill(key_, first, count, result, [](Words w, double* values) {
    for (int k = 0; k < 2; ++k)
      for (int j = 0; j < kBlocks; ++j) {
        const double value = -log_of(above_zero(joined(w[2 * k][j], w[2 * k + 1][j])));
        values[k * kBlocks + j] = value > 0x1p-53 ? value : 0x1p-53;
      }
  });
}

}  // namespace notape
