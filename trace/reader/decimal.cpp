#include "trace/reader/decimal.h"

#include <algorithm>

namespace notape::trace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes the digits that `text` begins with.
std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

/// A decimal number taken apart: digits with the point after the first `point` of them.
struct Parts {
  bool negative = false;
  std::string_view whole, fraction;
  int64_t exponent = 0;

  char digit(int64_t place) const {
    const auto length = static_cast<int64_t>(whole.size());
    if (place < length) return whole[static_cast<std::size_t>(place)];
    place -= length;
    return place < static_cast<int64_t>(fraction.size()) ? fraction[static_cast<std::size_t>(place)]
                                                         : '0';
  }
  int64_t digits() const { return static_cast<int64_t>(whole.size() + fraction.size()); }
};

// Exponents beyond it leave int64 for every number but 0, which needs none.
constexpr int64_t kLargestExponent = 1'000'000;

std::optional<Parts> take_apart(std::string_view text) {
  text = without_blanks(text);
  Parts parts;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  parts.whole = take_digits(text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  if (parts.digits() == 0) return {};
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    const bool down = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    const std::string_view digits = take_digits(text);
    if (digits.empty()) return {};
    for (const char c : digits)
      parts.exponent = std::min(kLargestExponent, parts.exponent * 10 + (c - '0'));
    if (down) parts.exponent = -parts.exponent;
  }
  if (!text.empty()) return {};
  return parts;
}

/// magnitude * 10 + digit, nothing if that leaves int64.
bool append_digit(int64_t& magnitude, int digit) {
  return !__builtin_mul_overflow(magnitude, 10, &magnitude) &&
         !__builtin_add_overflow(magnitude, digit, &magnitude);
}

}  // namespace

std::optional<int64_t> scaled_decimal(std::string_view text, int scale) {
  const std::optional<Parts> parts = take_apart(text);
  if (!parts) return {};
  // So many digits are left of the point once it has moved.
  const int64_t kept = static_cast<int64_t>(parts->whole.size()) + parts->exponent + scale;
  int64_t magnitude = 0;
  for (int64_t place = 0; place < kept; ++place) {
    if (place >= parts->digits() && magnitude == 0) break;  // zeros, however many
    if (!append_digit(magnitude, parts->digit(place) - '0')) return {};
  }
  if (kept >= 0 && kept < parts->digits() && parts->digit(kept) >= '5' &&
      __builtin_add_overflow(magnitude, 1, &magnitude))
    return {};
  return parts->negative ? -magnitude : magnitude;
}

std::optional<int64_t> whole_number(std::string_view text) {
  const std::optional<Parts> parts = take_apart(text);
  if (!parts) return {};
  const int64_t kept = static_cast<int64_t>(parts->whole.size()) + parts->exponent;
  for (int64_t place = std::max<int64_t>(0, kept); place < parts->digits(); ++place)
    if (parts->digit(place) != '0') return {};
  return scaled_decimal(text, 0);
}

}  // namespace notape::trace
