#include "autograd/interchange/markup.h"

#include "autograd/printable.h"

namespace notape::interchange {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable_lines(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace notape::interchange
