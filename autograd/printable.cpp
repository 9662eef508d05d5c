#include "autograd/printable.h"

#include <cstdint>
#include <cstdio>

namespace notape {
namespace {

struct Character {
  std::size_t bytes = 0;  ///< 0: this is not UTF-8
  uint32_t code = 0;
};

/// The first character, as RFC 3629 has it: no overlong forms, no surrogates, nothing above 10FFFF.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[bytes] || code > 0x10ffff || surrogate ? Character()
                                                              : Character{bytes, code};
}

/// Beyond ASCII: does something else than to be seen.
bool acts(uint32_t code) {
  constexpr uint32_t kRanges[][2] = {
      {0x80, 0x9f},        // control characters, again
      {0x061c, 0x061c},    // reading direction
      {0x200e, 0x200f},    // reading direction
      {0x2028, 0x202e},    // line ends; reading direction
      {0x2066, 0x2069},    // reading direction
      {0xfeff, 0xfeff},    // byte order
      {0xfff9, 0xfffb},    // annotations
      {0xfffe, 0xffff},    // no characters
      {0xe0000, 0xe007f},  // tags that nobody sees
  };
  for (const auto& [first, last] : kRanges)
    if (code >= first && code <= last) return true;
  return false;
}

std::string made_fit(std::string_view text, bool keep_lines) {
  std::string result;
  result.reserve(text.size());
  char escape[16];
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = character.bytes > 0 ? character.bytes : 1;
    const uint32_t code = character.code;
    const bool line = keep_lines && (code == '\n' || code == '\t');
    if (character.bytes == 0 || (bytes == 1 && (code < 0x20 || code == 0x7f) && !line)) {
      std::snprintf(escape, sizeof(escape), "\\x%02x", static_cast<unsigned char>(text[0]));
      result += escape;
    } else if (acts(code)) {
      std::snprintf(escape, sizeof(escape), "\\u{%x}", code);
      result += escape;
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return made_fit(text, false); }
std::string printable_lines(std::string_view text) { return made_fit(text, true); }

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;  // not in the middle of a character
  while (end > 0 && end + 4 > most && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "... (" + std::to_string(text.size()) + " bytes)";
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

}  // namespace notape
