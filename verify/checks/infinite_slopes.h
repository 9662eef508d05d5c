// Infinite derivatives of opaque functions. One is right where slopes grow without bound that way,
// as those of sqrt(x) and x log(x) at 0 do, and wrong where they settle or grow the other way.
#pragma once
#include "verify/checks/argument_entry.h"
#include "verify/checks/outcome.h"

namespace notape::verify {

/// The finite entries whose derivative is claimed to be infinite.
std::vector<ArgumentEntry> infinite_entries(const Subject& subject);
/// Such an entry against the slopes around it, one comparison.
void judge_infinite(const Subject& subject, const ArgumentEntry& one, Outcome& outcome);

}  // namespace notape::verify
