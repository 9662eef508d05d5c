#include "trace/analysis/gate_text.h"

namespace notape::trace {
namespace {

std::string_view without_spaces_around(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<GateText> split_gate(std::string_view text) {
  const std::size_t comparison = text.find_first_of("<>");
  if (comparison == std::string_view::npos || text.substr(comparison + 1, 1) != "=") return {};
  const std::string_view name = without_spaces_around(text.substr(0, comparison));
  if (name.empty()) return {};
  return GateText{std::string(name), text[comparison] == '<',
                  without_spaces_around(text.substr(comparison + 2))};
}

}  // namespace notape::trace
