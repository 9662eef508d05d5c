// The simplest input on which an operator of a plugin ends its process.
#pragma once
#include <optional>

#include "verify/processes/child.h"
#include "verify/runner/exhibit.h"

namespace notape::verify {

/// A case and the check during which the child ended.
struct CrashCase {
  std::string file;  ///< of the plugin
  std::string op, check;
  ScalarType dtype = kFloat64;
  Choices choices;
};

/// "float64 reverse 1k2z9": what a child notes before a check, so that its parent knows if it ends.
std::string note_of(const CrashCase& at);
/// Empty for a note that was written before the first case was drawn.
std::optional<CrashCase> crash_case_of(const std::string& file, const std::string& op,
                                       const std::string& note);

/// The simplest case below `crash` that ends a child in the same way, with its inputs; its outcome
/// is left to the caller. A crash that does not come again keeps its case.
Exhibit shrink_crash(const CrashCase& crash, const ChildEnd& end, const ChildLimits& limits);

}  // namespace notape::verify
