#include "trace/report/sentence.h"

#include <fmt/format.h>

#include "autograd/interchange/markup.h"
#include "autograd/printable.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr std::size_t kLongestName = 100;

bool is_plain_in_markdown(char c) {
  constexpr std::string_view kHarmless = " .,:;%+-/='()?";
  return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kHarmless.find(c) != std::string_view::npos;
}

}  // namespace

Sentence& Sentence::add(const Sentence& other) {
  const std::vector<Part> parts = other.parts_;  // it may be this one
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  return *this;
}

Sentence& Sentence::operator<<(std::string_view text) {
  if (!parts_.empty() && !parts_.back().is_name)
    parts_.back().text += text;
  else
    parts_.push_back({std::string(text), false});
  return *this;
}

Sentence& Sentence::name(std::string_view name) {
  parts_.push_back({short_name(name, kLongestName), true});
  return *this;
}

std::string Sentence::plain() const {
  std::string text;
  for (const Part& part : parts_) text += part.text;
  return text;
}

std::string Sentence::html() const {
  std::string text;
  for (const Part& part : parts_) {
    const std::string escaped = interchange::escaped(part.text);
    text += part.is_name ? "<code>" + escaped + "</code>" : escaped;
  }
  return text;
}

std::string Sentence::markdown() const {
  std::string text;
  for (const Part& part : parts_)
    text += part.is_name ? markdown_code(part.text) : markdown_text(part.text);
  return text;
}

std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text))
    result +=
        is_plain_in_markdown(c) ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
  return result;
}

std::string markdown_code(std::string_view name) {
  const std::string text = printable(name);
  const bool fits_between_ticks = !text.empty() &&
                                  text.find_first_of("`|\\") == std::string::npos &&
                                  text.front() != ' ' && text.back() != ' ';
  return fits_between_ticks ? "`" + text + "`" : "<code>" + markdown_text(text) + "</code>";
}

}  // namespace notape::trace
