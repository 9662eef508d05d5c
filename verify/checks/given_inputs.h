// Functions that are checked at inputs of their users', where cases differ by directions, layouts
// and incoming gradients only.
#pragma once
#include <algorithm>

#include "verify/generate/drawn_case.h"

namespace notape::verify {

/// Whether the entries of every argument are given, and none drawn.
inline bool has_given_inputs(const DrawnCase& drawn) {
  return std::all_of(drawn.arguments.begin(), drawn.arguments.end(),
                     [](const DrawnArgument& one) { return one.argument.fixed.has_value(); });
}
}  // namespace notape::verify
