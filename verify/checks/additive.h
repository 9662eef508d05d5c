// Additive slopes: a function that has a derivative has slopes that add up. Where three entries tie
// in a median, each moved alone leaves it where it is, and all together take it along: slopes to
// both sides agree along every direction, and yet there is no derivative, nor one wrong gradient.
#pragma once
#include "verify/checks/argument_entry.h"

namespace notape::verify {

/// The entries, of all arguments, that tie exactly with others and along which slopes of the
/// subject's own values do not add up. Costs many of those: to be asked before a FAIL only.
std::vector<ArgumentEntry> entries_without_derivative(const Subject& subject);

}  // namespace notape::verify
