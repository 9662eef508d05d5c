#include "trace/report/words.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "autograd/printable.h"

namespace notape::trace {
namespace {

/// One decimal place below 100, none above.
std::string with_unit(double value, const char* unit) {
  return fmt::format("{:.{}f} {}", value, std::abs(value) < 99.95 ? 1 : 0, unit);
}

}  // namespace

std::string time_words(int64_t ns) {
  const auto value = static_cast<double>(ns), size = std::abs(value);
  if (size >= 999.95e6) return with_unit(value / 1e9, "s");
  if (size >= 999.95e3) return with_unit(value / 1e6, "ms");
  if (size >= 999.5) return with_unit(value / 1e3, "us");
  return ns == 0 ? "0" : fmt::format("{} ns", ns);
}

std::string share_words(int64_t part, int64_t whole) {
  if (whole == 0) return "-";
  return share_words(static_cast<double>(part) / static_cast<double>(whole));
}

std::string share_words(double share) {
  const double percent = 100 * share, size = std::abs(percent);
  if (!std::isfinite(percent)) return "-";
  if (percent == 0) return "none";
  if (percent == 100) return "all";
  if (size < 0.05) return "under 0.1 %";
  if (percent > 99.95 && percent < 100) return "over 99.9 %";
  const bool is_near_an_end = size < 9.95 || (90 < size && size < 100);
  return fmt::format("{:.{}f} %", percent, is_near_an_end ? 1 : 0);
}

std::string count_words(int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string count_words(int64_t count, std::string_view noun) {
  return count_words(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string bytes_words(int64_t bytes) {
  const auto value = static_cast<double>(bytes), size = std::abs(value);
  if (size >= 0x1p30) return with_unit(value / 0x1p30, "GiB");
  if (size >= 0x1p20) return with_unit(value / 0x1p20, "MiB");
  if (size >= 0x1p10) return with_unit(value / 0x1p10, "KiB");
  return fmt::format("{} bytes", bytes);
}

std::string ratio_words(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  const double size = std::abs(ratio);
  if (size >= 99.95 && size < 1e15) return count_words(std::llround(ratio));
  return fmt::format("{:.{}f}", ratio, size < 0.9995 ? 3 : size < 9.995 ? 2 : 1);
}

std::string short_name(std::string_view name, std::size_t most) {
  const std::string text = printable(name);
  std::vector<std::size_t> letters;  // where each begins
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) letters.push_back(i);
  if (letters.size() <= most || most < 3) return text;
  const std::size_t tail = (most - 1) / 3, head = most - 1 - tail;
  return text.substr(0, letters[head]) + "…" + text.substr(letters[letters.size() - tail]);
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace notape::trace
