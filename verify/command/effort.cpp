#include "verify/command/effort.h"

#include <charconv>

#include "verify/command/words.h"

namespace notape::verify {
namespace {

int small_number(const std::string& text, const char* option) {
  return number_within<int>(text, option, 1, 256);
}

}  // namespace

int jobs_of(const std::string& text) { return small_number(text, "--jobs"); }
int threads_of(const std::string& text) { return small_number(text, "--threads"); }

double seconds_of(const std::string& text, const char* option) {
  constexpr double kMost = 30 * 86400.0;
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  const double seconds = value * factor;
  if (error != std::errc() || !(seconds > 0) || seconds > kMost)
    throw UsageError("{}: '{}' is no time, such as 90, 90s, 5m or 2h", option, text);
  return seconds;
}

}  // namespace notape::verify
