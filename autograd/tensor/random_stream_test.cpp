#include "autograd/tensor/random_stream.h"

#include <cmath>
#include <numbers>

#include "autograd/testing/expect.h"

namespace notape::testing {
namespace {

constexpr int64_t kStreamSize = 1000;  // no multiple of kPart
constexpr int kBlocksOfPart = RandomStream::kPart / 4;

struct Stream {
  Generator generator{17};
  uint64_t key = Generator(17).next64();
  RandomStream stream{generator};
};

/// Word k of the block that number i of `words` lies in is number i.
uint32_t word_of(uint64_t key, int64_t part, int k, int j) {
  return philox(key, static_cast<uint64_t>(part * kBlocksOfPart + j))[static_cast<std::size_t>(k)];
}

TEST(RandomStream, HasTheWordsOfPhilox) {
  const Stream s;
  std::vector<uint32_t> words(kStreamSize);
  s.stream.words(0, kStreamSize, words.data());
  for (int64_t i = 0; i < kStreamSize; ++i) {
    const int64_t part = i / RandomStream::kPart, within = i % RandomStream::kPart;
    EXPECT_EQ(words[static_cast<std::size_t>(i)],
              word_of(s.key, part, static_cast<int>(within / kBlocksOfPart),
                      static_cast<int>(within % kBlocksOfPart)))
        << i;
  }
}

template <typename T>
using StreamMember = void (RandomStream::*)(int64_t, int64_t, T*) const;

/// Any part by itself is what it is in the whole.
template <typename T>
void expect_same_by_parts(StreamMember<T> draw) {
  const Stream s;
  std::vector<T> whole(kStreamSize), parts(kStreamSize);
  (s.stream.*draw)(0, kStreamSize, whole.data());
  for (const int64_t size : {RandomStream::kPart, 3 * RandomStream::kPart}) {
    for (int64_t first = 0; first < kStreamSize; first += size)
      (s.stream.*draw)(first, std::min(size, kStreamSize - first), parts.data() + first);
    EXPECT_EQ(parts, whole);
  }
  std::vector<T> few(3);
  (s.stream.*draw)(0, 3, few.data());
  EXPECT_EQ(few, std::vector<T>(whole.begin(), whole.begin() + 3));
}

TEST(RandomStream, IsTheSameByParts) {
  expect_same_by_parts<uint32_t>(&RandomStream::words);
  expect_same_by_parts<float>(&RandomStream::uniform);
  expect_same_by_parts<double>(&RandomStream::uniform);
  expect_same_by_parts<float>(&RandomStream::normal);
  expect_same_by_parts<double>(&RandomStream::normal);
  expect_same_by_parts<float>(&RandomStream::exponential);
  expect_same_by_parts<double>(&RandomStream::exponential);
}

TEST(RandomStream, ComputesBoxAndMullerInFloat) {
  const Stream s;
  std::vector<float> normals(RandomStream::kPart);
  s.stream.normal(0, RandomStream::kPart, normals.data());
  for (int k = 0; k < 4; k += 2)
    for (int j = 0; j < kBlocksOfPart; ++j) {
      const double u = ((word_of(s.key, 0, k, j) >> 1) | 1) * 0x1p-31;
      const uint32_t second = word_of(s.key, 0, k + 1, j);
      const double quarter = second >> 30, within = static_cast<int32_t>(second << 2) * 0x1p-32;
      const double angle = (quarter + within) * std::numbers::pi / 2;
      const double radius = std::sqrt(-2 * std::log(u));
      const auto at = static_cast<std::size_t>(k * kBlocksOfPart + j);
      EXPECT_NEAR(normals[at], radius * std::cos(angle), 1e-6);
      EXPECT_NEAR(normals[at + kBlocksOfPart], radius * std::sin(angle), 1e-6);
    }
}

TEST(RandomStream, ComputesBoxAndMullerInDouble) {
  const Stream s;
  std::vector<double> normals(RandomStream::kPart / 2);
  s.stream.normal(0, RandomStream::kPart / 2, normals.data());
  for (int j = 0; j < kBlocksOfPart; ++j) {
    const auto joined = [&](int k) {
      return (uint64_t{word_of(s.key, 0, k, j)} << 32) | word_of(s.key, 0, k + 1, j);
    };
    const double u = 1 - static_cast<double>(joined(0) >> 12) * 0x1p-52;
    const uint64_t second = joined(2);
    const auto quarter = static_cast<double>(second >> 62);
    const double within = static_cast<double>((second << 2) >> 12) * 0x1p-52 - 0.5;
    const double angle = (quarter + within) * std::numbers::pi / 2;
    const double radius = std::sqrt(-2 * std::log(u));
    const auto at = static_cast<std::size_t>(j);
    EXPECT_NEAR(normals[at], radius * std::cos(angle), 4e-15);
    EXPECT_NEAR(normals[at + kBlocksOfPart], radius * std::sin(angle), 4e-15);
  }
}

TEST(RandomStream, DrawsAnotherKeyForEachTensor) {
  Generator generator(5);
  const RandomStream first(generator), second(generator);
  uint32_t a[8], b[8];
  first.words(0, 8, a);
  second.words(0, 8, b);
  EXPECT_NE(std::vector<uint32_t>(a, a + 8), std::vector<uint32_t>(b, b + 8));
}

}  // namespace
}  // namespace notape::testing
