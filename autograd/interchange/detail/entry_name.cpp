#include "autograd/interchange/detail/entry_name.h"

#include <algorithm>
#include <cctype>

#include "autograd/printable.h"

namespace notape::interchange {

std::string problem_of_entry_name(std::string_view name) {
  if (name.empty()) return "is empty";
  if (!is_utf8(name)) return "is not UTF-8";
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    return "has a control character";
  if (name.find('\\') != name.npos) return "has a backslash, which separates folders elsewhere";
  const bool drive =
      name.size() > 1 && name[1] == ':' && std::isalpha(static_cast<unsigned char>(name[0]));
  if (name[0] == '/' || drive) return "is absolute";
  for (std::string_view rest = name;;) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view folder = rest.substr(0, end);
    if (folder == "..") return "leaves the directory";
    if (folder.empty() || folder == ".") return "has an empty folder name, or '.', in it";
    if (end == rest.size()) return "";
    rest.remove_prefix(end + 1);
  }
}

}  // namespace notape::interchange
