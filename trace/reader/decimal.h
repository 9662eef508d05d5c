// Decimal text to integers, digit by digit: a double would move times since 1970 by up to 0.25 us.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace notape::trace {

/// The number that `text` denotes (JSON's notation, blanks around it allowed) times 10^scale,
/// rounded half away from zero; nothing if it is no number or leaves int64.
std::optional<int64_t> scaled_decimal(std::string_view text, int scale);

/// Microseconds as integer ns: "12.5" is 12500.
inline std::optional<int64_t> nanoseconds(std::string_view microseconds) {
  return scaled_decimal(microseconds, 3);
}

/// A whole number; "7.0" is one, "7.5" is none.
std::optional<int64_t> whole_number(std::string_view text);

}  // namespace notape::trace
