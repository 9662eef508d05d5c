#include "trace/reader/json_cursor.h"

#include <fmt/format.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <utility>

#include "autograd/printable.h"

namespace notape::trace {
namespace {

enum class Letter : uint8_t { Other, Blank, Plain, Quote, Open, Close };

// Plain: what numbers and words consist of, and what stands between values.
constexpr std::array<Letter, 256> kLetters = [] {
  std::array<Letter, 256> letters{};
  for (const char c : {' ', '\t', '\n', '\r'}) letters[static_cast<uint8_t>(c)] = Letter::Blank;
  for (int c = 'a'; c <= 'z'; ++c) letters[static_cast<std::size_t>(c)] = Letter::Plain;
  for (int c = '0'; c <= '9'; ++c) letters[static_cast<std::size_t>(c)] = Letter::Plain;
  for (const char c : {'+', '-', '.', 'E', 'N', 'I', ',', ':'})
    letters[static_cast<uint8_t>(c)] = Letter::Plain;
  letters['"'] = Letter::Quote;
  letters['{'] = letters['['] = Letter::Open;
  letters['}'] = letters[']'] = Letter::Close;
  return letters;
}();

Letter kind_of(char c) { return kLetters[static_cast<uint8_t>(c)]; }

/// Whether one of eight bytes is `letter`.
bool has_byte(uint64_t bytes, char letter) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const uint64_t differences = bytes ^ (kOnes * static_cast<uint8_t>(letter));
  return ((differences - kOnes) & ~differences & (kOnes << 7)) != 0;
}

void append_utf8(std::string& to, uint32_t code) {
  const auto byte = [&](uint32_t value) { to.push_back(static_cast<char>(value)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xe0 | code >> 12);
    } else {
      byte(0xf0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3f));
    }
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

/// The four hexadecimal digits at `place`, or -1.
int64_t code_unit(std::string_view text, std::size_t place) {
  if (place + 4 > text.size()) return -1;
  int64_t code = 0;
  for (const char c : text.substr(place, 4)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

bool is_first_half(int64_t code) { return code >= 0xd800 && code < 0xdc00; }
bool is_second_half(int64_t code) { return code >= 0xdc00 && code < 0xe000; }

/// Decodes the \u escape at `place` and returns how many letters it takes, 0 if it is broken.
std::size_t append_escaped_code(std::string& to, std::string_view text, std::size_t place) {
  const int64_t first = code_unit(text, place + 2);
  if (first < 0 || is_second_half(first)) return 0;
  if (!is_first_half(first)) {
    append_utf8(to, static_cast<uint32_t>(first));
    return 6;
  }
  const int64_t second =
      text.substr(place + 6, 2) == "\\u" ? code_unit(text, place + 8) : int64_t{-1};
  if (!is_second_half(second)) return 0;
  append_utf8(to, static_cast<uint32_t>(0x10000 + ((first - 0xd800) << 10) + second - 0xdc00));
  return 12;
}

}  // namespace

void JsonCursor::refuse(std::string what) const { throw Malformed{offset(), std::move(what)}; }

char JsonCursor::peek() {
  while (at_ != end_ && kind_of(*at_) == Letter::Blank) ++at_;
  if (at_ == end_) throw OutOfText();
  return *at_;
}

void JsonCursor::take(char letter) {
  const char found = peek();
  if (found != letter)
    refuse(fmt::format("'{}' where '{}' belongs", printable({&found, 1}), letter));
  ++at_;
}

bool JsonCursor::take_if(char letter) {
  if (peek() != letter) return false;
  ++at_;
  return true;
}

JsonCursor::String JsonCursor::string() {
  take('"');
  const char* const start = at_;
  bool has_escapes = false;
  for (;;) {
    for (uint64_t bytes; end_ - at_ >= 8; at_ += 8) {
      std::memcpy(&bytes, at_, 8);
      if (has_byte(bytes, '"') || has_byte(bytes, '\\')) break;
    }
    while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
    if (at_ == end_) throw OutOfText();
    if (*at_ == '"') break;
    has_escapes = true;
    if (end_ - at_ < 2) throw OutOfText();
    at_ += 2;
  }
  const String result{since(start), has_escapes};
  ++at_;
  return result;
}

std::string_view JsonCursor::scalar() {
  peek();
  const char* const start = at_;
  while (at_ != end_ && kind_of(*at_) == Letter::Plain && *at_ != ',' && *at_ != ':') ++at_;
  if (at_ == end_) throw OutOfText();
  if (at_ == start) {
    const char found = *at_;
    refuse(fmt::format("'{}' where a value belongs", printable({&found, 1})));
  }
  return since(start);
}

void JsonCursor::skip_nested() {
  std::bitset<kDeepest> is_object;
  std::size_t depth = 0;
  for (; at_ != end_; ++at_) switch (kind_of(*at_)) {
      case Letter::Blank:
      case Letter::Plain:
        break;
      case Letter::Quote:
        string();
        --at_;
        break;
      case Letter::Open:
        if (depth == kDeepest)
          refuse(fmt::format("brackets nested deeper than {} levels", kDeepest));
        is_object[depth++] = *at_ == '{';
        break;
      case Letter::Close:
        if (is_object[--depth] != (*at_ == '}')) refuse("brackets that do not match");
        if (depth == 0) {
          ++at_;
          return;
        }
        break;
      case Letter::Other: {
        const char found = *at_;
        refuse(fmt::format("'{}' outside of a string", printable({&found, 1})));
      }
    }
  throw OutOfText();
}

std::string_view JsonCursor::value() {
  const char first = peek();
  if (first != '"' && kind_of(first) != Letter::Open) return scalar();
  const char* const start = at_;
  if (first == '"')
    string();
  else
    skip_nested();
  return since(start);
}

std::string unescaped(std::string_view text) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      if (const std::size_t which = kEscapes.find(text[i + 1]); which != std::string_view::npos) {
        result.push_back(kMeanings[which]);
        i += 2;
        continue;
      }
      const std::size_t taken =
          text[i + 1] == 'u' ? append_escaped_code(result, text, i) : std::size_t{0};
      i += taken;
      if (taken) continue;
    }
    result.push_back(text[i++]);
  }
  return result;
}

}  // namespace notape::trace
