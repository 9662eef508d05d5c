#include "verify/report/formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/printable.h"
#include "verify/report/summary.h"

namespace notape::verify {
namespace {

/// As workflow commands want it; `special` are further characters to encode.
std::string encoded(std::string_view text, std::string_view special = "") {
  std::string result;
  for (const char c : printable_lines(text)) {
    const bool plain = c != '%' && c != '\r' && c != '\n' && special.find(c) == special.npos;
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string property(std::string_view text) { return encoded(text, ":,"); }

}  // namespace

std::string github_annotations(const std::vector<Record>& records, const Gates& gates) {
  constexpr int64_t kMost = 10;
  std::string text;
  int64_t count = 0;
  for (const Record& record : records) {
    if (colour_of(record, gates) != Colour::Red || ++count > kMost) continue;
    text += fmt::format("::error file={},line={},title={}::{}\n", property(record.file),
                        std::max<int64_t>(record.line, 1), property(rule_of(record)),
                        encoded(one_line(record)));
  }
  if (const std::string interruption = interruption_of(records); !interruption.empty())
    text += fmt::format("::warning::interrupted by {}\n", encoded(interruption));
  if (count > kMost) text += fmt::format("::error::and {} more\n", count - kMost);
  return text;
}

}  // namespace notape::verify
