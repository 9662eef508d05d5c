// What the file formats' tests share: raw files, and damage done to them.
#pragma once
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include "autograd/testing/expect.h"
#include "autograd/testing/temporary_folder.h"

namespace notape::testing {

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

/// A tensor of arbitrary bits (a bool: of 0 and 1), so that not-a-numbers travel too.
inline Tensor random_bits(IntArrayRef sizes, ScalarType type) {
  const Tensor result = empty(sizes, type);
  auto* bytes = static_cast<unsigned char*>(result.data_ptr());
  const auto count = static_cast<std::size_t>(result.numel()) * result.element_size();
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<unsigned char>(default_generator().below(type == kBool ? 2 : 256));
  return result;
}

/// Same shape, dtype and bits; both row-major.
inline void expect_same_bits(const Tensor& actual, const Tensor& expected) {
  ASSERT_TRUE(actual.defined());
  ASSERT_EQ(actual.sizes(), expected.sizes());
  ASSERT_EQ(actual.dtype(), expected.dtype());
  ASSERT_TRUE(actual.is_contiguous() && expected.is_contiguous());
  const auto count = static_cast<std::size_t>(actual.numel()) * actual.element_size();
  EXPECT_TRUE(count == 0 || std::memcmp(actual.data_ptr(), expected.data_ptr(), count) == 0);
}

inline const std::vector<ScalarType> kAllTypes = {kBool,  kUInt8, kInt8,    kInt16,
                                                  kInt32, kInt64, kFloat32, kFloat64};

/// Cuts the file at every byte: `load` must refuse it with a FileError that begins with the path.
/// Then changes every byte in two ways, by one bit and by all: `load` may succeed, or throw
/// FileError, and nothing else. Returns how many of these changes were refused.
inline std::size_t expect_survives_damage(const std::string& path,
                                          const std::function<void(const std::string&)>& load) {
  const NothingLeaks nothing_leaks;
  const std::string whole = bytes_of(path);
  const std::string damaged = path + ".damaged";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put_bytes(damaged, std::string_view(whole).substr(0, length));
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, "cut at " + std::to_string(length));
    expect_error<FileError>(damaged, [&] { load(damaged); });
  }
  std::size_t refused = 0;
  for (std::size_t i = 0; i < 2 * whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i / 2] = static_cast<char>(flipped[i / 2] ^ (i % 2 ? 0xff : 1 << i / 2 % 8));
    put_bytes(damaged, flipped);
    try {
      load(damaged);
    } catch (const FileError& error) {
      ++refused;
      EXPECT_TRUE(error.what_without_backtrace().starts_with(damaged)) << error.what();
    }
  }
  return refused;
}

}  // namespace notape::testing
