// Fingerprints see every changed bit of what they look at, and look everywhere up to 64 KB.
#include "autograd/tensor/fingerprint.h"

#include <gtest/gtest.h>

#include <vector>

namespace notape::testing {
namespace {

std::vector<unsigned char> some_bytes(std::size_t count) {
  std::vector<unsigned char> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + i / 251);
  return bytes;
}

/// Windows of at most 64 KB over 8-byte elements, each reaching at most element 2000.
const Geometry kWindows[] = {
    Geometry({1}, {1}, 3),
    Geometry({100}, {1}, 5),
    Geometry({1000}, {1}, 7),
    Geometry({20}, {7}, 1),
    Geometry({4, 5}, {1, 4}, 2),
    Geometry({5, 33}, {40, 1}, 0),
    Geometry({3, 1, 10}, {100, 9, 10}, 11),
    Geometry({1 << 20, 4}, {0, 3}, 6),
};

TEST(Fingerprint, SeesEveryBitOfTheWindowAndNoOther) {
  std::vector<unsigned char> bytes = some_bytes(16000);
  for (const Geometry& window : kWindows) {
    const uint64_t before = fingerprint_of(bytes.data(), window, 8);
    const ByteSnapshot snapshot(bytes.data(), bytes.size());
    for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += bit < 20000 ? 1 : 61) {
      const auto byte = static_cast<int64_t>(bit / 8);
      const bool inside = overlaps(window, 8, Geometry({1}, {1}, byte), 1);
      unsigned char& target = bytes[bit / 8];
      target ^= static_cast<unsigned char>(1 << bit % 8);
      ASSERT_EQ(fingerprint_of(bytes.data(), window, 8) != before, inside) << "bit " << bit;
      ASSERT_EQ(snapshot.agrees(bytes.data(), window, 8), !inside) << "bit " << bit;
      target ^= static_cast<unsigned char>(1 << bit % 8);
    }
    EXPECT_EQ(fingerprint_of(bytes.data(), window, 8), before);
  }
}

TEST(Fingerprint, SeesSignsThatChangeTogether) {
  std::vector<double> numbers(4096, 1.5);
  const Geometry all({4096}, {1}, 0);
  const uint64_t before = fingerprint_of(numbers.data(), all, 8);
  for (const std::size_t step : {1, 2, 8, 16, 64}) {
    for (std::size_t i = 0; i < numbers.size(); i += step) numbers[i] = -numbers[i];
    EXPECT_NE(fingerprint_of(numbers.data(), all, 8), before) << step;
    for (std::size_t i = 0; i < numbers.size(); i += step) numbers[i] = -numbers[i];
  }
  numbers[1] = 2.5;
  const uint64_t here = fingerprint_of(numbers.data(), all, 8);
  std::swap(numbers[1], numbers[901]);
  EXPECT_NE(fingerprint_of(numbers.data(), all, 8), here);
}

TEST(Fingerprint, SamplesLargeWindowsFromEndToEnd) {
  std::vector<unsigned char> bytes = some_bytes(1 << 20);
  for (const Geometry& window : {Geometry({1 << 18}, {1}, 0), Geometry({1 << 17}, {2}, 0),
                                 Geometry({512, 256}, {1, 1024}, 0)}) {
    const uint64_t before = fingerprint_of(bytes.data(), window, 4);
    const ByteSnapshot snapshot(bytes.data(), bytes.size());
    // Any write of a fifteenth of it in one piece.
    const std::size_t piece = bytes.size() / 15;
    for (std::size_t start = 0; start + piece <= bytes.size(); start += piece / 3) {
      for (std::size_t i = start; i < start + piece; ++i) bytes[i] ^= 1;
      EXPECT_NE(fingerprint_of(bytes.data(), window, 4), before) << start;
      // It knows samples of the storage, of which a window may show few.
      if (window.stride(0) != 1 || window.dim() == 1) {
        EXPECT_FALSE(snapshot.agrees(bytes.data(), window, 4)) << start;
      }
      for (std::size_t i = start; i < start + piece; ++i) bytes[i] ^= 1;
    }
    EXPECT_TRUE(snapshot.agrees(bytes.data(), window, 4));
  }
}

}  // namespace
}  // namespace notape::testing
