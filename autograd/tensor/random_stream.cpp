// Philox blocks are computed 32 at a time. All loops here are over so many numbers, without
// branches or calls, and are compiled to vector instructions; rounding does not depend on which.
#include "autograd/tensor/random_stream.h"

#include <algorithm>

#include "autograd/tensor/random_formulas.h"

namespace notape {
namespace {

using detail::below_one;
using detail::exponential_of;
using detail::joined;
using detail::normal_pair;

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
      for (int j = 0; j < kBlocks; ++j) values[k * kBlocks + j] = below_one(w[k][j]);
  });
}

void RandomStream::uniform(int64_t first, int64_t count, double* result) const {
  fill(key_, first, count, result, [](Words w, double* values) {
    for (int k = 0; k < 2; ++k)
      for (int j = 0; j < kBlocks; ++j)
        values[k * kBlocks + j] = below_one(w[2 * k][j], w[2 * k + 1][j]);
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
      for (int j = 0; j < kBlocks; ++j) values[k * kBlocks + j] = exponential_of(w[k][j]);
  });
}

void RandomStream::exponential(int64_t first, int64_t count, double* result) const {
  fill(key_, first, count, result, [](Words w, double* values) {
    for (int k = 0; k < 2; ++k)
      for (int j = 0; j < kBlocks; ++j)
        values[k * kBlocks + j] = exponential_of(joined(w[2 * k][j], w[2 * k + 1][j]));
  });
}

}  // namespace notape
