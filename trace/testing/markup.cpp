#include "trace/testing/markup.h"

#include <cctype>

namespace notape::trace::testing {
namespace {

std::string tag_name(std::string_view inside) {
  std::size_t length = 0;
  while (length < inside.size() && (std::isalnum(static_cast<unsigned char>(inside[length])) != 0))
    ++length;
  return std::string(inside.substr(0, length));
}

}  // namespace

std::string unbalanced_tag(std::string_view text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string_view::npos;) {
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) return "a tag without end";
    const std::string_view inside = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (inside.find('<') != std::string_view::npos) return "a tag in a tag: " + std::string(inside);
    if (inside.starts_with('!') || inside.starts_with("meta") || inside.ends_with('/')) continue;
    if (!inside.starts_with('/')) {
      open.push_back(tag_name(inside));
      if (open.back().empty()) return "a < that opens no tag: " + std::string(inside);
      continue;
    }
    const std::string name = tag_name(inside.substr(1));
    if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
    open.pop_back();
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

std::vector<std::string> attribute_values(std::string_view text, std::string_view attribute) {
  std::vector<std::string> values;
  const std::string begin = " " + std::string(attribute) + "=\"";
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string_view::npos;) {
    at += begin.size();
    values.emplace_back(text.substr(at, text.find('"', at) - at));
  }
  return values;
}

}  // namespace notape::trace::testing
