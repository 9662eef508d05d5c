// The front of a gate, "NAME<=...", which all kinds of gates share.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace notape::trace {

struct GateText {
  std::string name;       ///< of a figure
  bool is_upper;          ///< "<=", not ">="
  std::string_view rest;  ///< after it, without spaces around; a part of the gate's text
};

/// Nothing if there is no name with "<=" or ">=" after it.
std::optional<GateText> split_gate(std::string_view text);

}  // namespace notape::trace
