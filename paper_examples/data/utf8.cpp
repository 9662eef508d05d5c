#include "paper_examples/data/utf8.h"

#include "autograd/error.h"

namespace notape::data {
namespace {

/// The least code point of each length: shorter ones may not be written longer.
constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};

struct Character {
  std::size_t length;
  uint32_t code;
};

Character character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, first};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  bool is_right = first >= 0xc2 && first <= 0xf4 && length <= text.size() - at;
  uint32_t code = first & (0x7f >> length);
  for (std::size_t i = 1; i < length && is_right; ++i) {
    is_right = (byte(i) & 0xc0) == 0x80;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (!is_right || code < kLeast[length] || code > 0x10ffff || is_surrogate)
    throw ValueError("byte {} is not UTF-8", at);
  return {length, code};
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  return character(text, at).length;
}

uint32_t utf8_code(std::string_view text, std::size_t at) { return character(text, at).code; }

std::string utf8_of(uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "";
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

}  // namespace notape::data
