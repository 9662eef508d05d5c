// Numbers of a binary file in memory, one after the other.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "autograd/error.h"

namespace notape::data {

/// Reads past the end and what the user refuses are a FileError, "NAME: byte 12: ...".
class ByteReader {
 public:
  /// Borrows the bytes. `name` is for messages, `first_byte` where in that file they begin.
  ByteReader(std::string_view bytes, std::string name, std::size_t first_byte = 0)
      : bytes_(bytes), name_(std::move(name)), first_byte_(first_byte) {}

  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t at() const { return first_byte_ + at_; }

  /// The next `count` bytes; `what` says in a message what they should have been.
  std::string_view take(std::size_t count, const char* what) {
    if (count > left()) fail("truncated: {} needs {} bytes, {} are left", what, count, left());
    const std::string_view part = bytes_.substr(at_, count);
    at_ += count;
    return part;
  }
  uint32_t big32(const char* what) {
    uint32_t value = 0;
    for (char byte : take(4, what)) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
  uint32_t little32(const char* what) { return static_cast<uint32_t>(little(4, what)); }
  uint16_t little16(const char* what) { return static_cast<uint16_t>(little(2, what)); }
  double big_double(const char* what) {
    const uint64_t high = big32(what);
    return std::bit_cast<double>(high << 32 | big32(what));
  }

  template <typename... Parts>
  [[noreturn]] void fail(std::string_view pattern, const Parts&... parts) const {
    throw FileError("{}: byte {}: {}", name_, at(),
                    format_message(pattern, {MessagePart(parts)...}));
  }

 private:
  uint64_t little(int count, const char* what) {
    uint64_t value = 0;
    int shift = 0;
    for (char byte : take(static_cast<std::size_t>(count), what)) {
      value |= uint64_t{static_cast<unsigned char>(byte)} << shift;
      shift += 8;
    }
    return value;
  }

  std::string_view bytes_;
  std::string name_;
  std::size_t first_byte_, at_ = 0;
};

}  // namespace notape::data
