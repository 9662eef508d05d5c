// From a direction along which a derivative is wrong to the entry that makes it so.
#pragma once
#include "verify/checks/argument_entry.h"

namespace notape::verify {

/// u halved again and again, each time the half for which `distance` is larger, until one entry is
/// left.
Direction bisected(Direction u, const std::function<Wide(const Direction&)>& distance);

/// The only entry that a direction moves, and by how much.
struct MovedEntry : ArgumentEntry {
  double step;
  /// "argument 1 at [0, 2]"
  std::string text(const Subject& subject) const;
};
/// None if it moves no entry, or several.
std::optional<MovedEntry> only_entry(const Direction& u);

}  // namespace notape::verify
