// Checks of what an operator does besides computing: whom it overwrites, what it remembers from
// call to call, where its inputs come from, what it changes around it. They come before the others
// where theirs is the more exact reason.
#pragma once
#include <algorithm>
#include <string_view>

#include "verify/checks/subject.h"

namespace notape::verify {

// Each is defined in the file of its name.
Outcome check_inputs(const Subject& subject);
Outcome check_modes(const Subject& subject);
Outcome check_kept(const Subject& subject);
Outcome check_concurrent(const Subject& subject);
Outcome check_sources(const Subject& subject);
Outcome check_shapes(const Subject& subject);
Outcome check_strides(const Subject& subject);
Outcome check_results(const Subject& subject);
Outcome check_ties(const Subject& subject);
Outcome check_masked(const Subject& subject);

/// `long` for users' operators.
Outcome check_growth(const Subject& subject);

/// Whether the entries of every argument are given, and none drawn.
inline bool has_given_inputs(const DrawnCase& drawn) {
  return std::all_of(drawn.arguments.begin(), drawn.arguments.end(),
                     [](const DrawnArgument& one) { return one.argument.fixed.has_value(); });
}
/// Whether one case says all where inputs are given, so that cases differ by directions, layouts
/// and incoming gradients only.
inline bool is_said_once(std::string_view check) {
  constexpr std::string_view kOnce[] = {"inputs",  "modes",  "kept",    "concurrent",
                                        "shapes",  "ties",   "strides", "sources",
                                        "results", "masked", "long"};
  return std::find(std::begin(kOnce), std::end(kOnce), check) != std::end(kOnce);
}

/// Whether a user's Function<T> or C operator is behind the result, and not only the library's
/// operators, which are checked by themselves.
bool has_function_of_users(const Subject& subject);
/// Whether `results` has several results to leave gradients out of.
bool has_several_results(const Subject& subject);

}  // namespace notape::verify
