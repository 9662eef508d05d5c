// Functions that are checked at inputs of their users', where cases differ by directions, layouts
// and incoming gradients only.
#pragma once
#include <algorithm>
#include <string_view>

#include "verify/generate/drawn_case.h"

namespace notape::verify {

/// Whether the entries of every argument are given, and none drawn.
inline bool has_given_inputs(const DrawnCase& drawn) {
  return std::all_of(drawn.arguments.begin(), drawn.arguments.end(),
                     [](const DrawnArgument& one) { return one.argument.fixed.has_value(); });
}
/// Whether one case says all where inputs are given.
inline bool is_said_once(std::string_view check) {
  constexpr std::string_view kOnce[] = {"inputs",  "modes",  "kept",    "concurrent",
                                        "shapes",  "ties",   "strides", "sources",
                                        "results", "masked", "long"};
  return std::find(std::begin(kOnce), std::end(kOnce), check) != std::end(kOnce);
}

}  // namespace notape::verify
