#include "autograd/error.h"

#include <cstdio>

#include "autograd/printable.h"

namespace notape {

std::string MessagePart::number(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.9g", value);
  return buffer;
}

// Parts may come from anywhere, and messages end on terminals.
std::string format_message(std::string_view pattern, std::initializer_list<MessagePart> parts) {
  std::string result;
  auto part = parts.begin();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{' && i + 1 < pattern.size() && pattern[i + 1] == '}' &&
        part != parts.end()) {
      result += printable_lines((part++)->text());
      ++i;
    } else {
      result += pattern[i];
    }
  }
  return result;
}

std::string place_of(const SourceLocation& at) {
  if (!kProvenance) return "";
  const std::string_view path = at.file_name();
  return std::string(path.substr(path.find_last_of('/') + 1)) + ":" + std::to_string(at.line());
}

std::string at_place(const SourceLocation& at) { return kProvenance ? " at " + place_of(at) : ""; }

std::string json_quote(std::string_view text) {
  std::string result = "\"";
  for (char c : is_utf8(text) ? std::string(text) : printable_lines(text)) {
    if (c == '"' || c == '\\') {
      (result += '\\') += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      result += escaped;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string Error::to_json() const {
  return "{\"error\": " + json_quote(kind()) +
         ", \"message\": " + json_quote(what_without_backtrace()) + "}";
}

}  // namespace notape
