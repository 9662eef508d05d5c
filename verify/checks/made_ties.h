// Made ties: cases as near as may be to a given one, in which entries of one argument tie.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// Entries of one argument that tie, in one group or in several.
struct Tie {
  std::size_t argument = 0;
  std::vector<std::size_t> entries = {};
};

struct MadeTie {
  DrawnCase drawn;
  Tie tie;
  /// The same with the entries a quarter as far apart as they were: nothing ties, a little away.
  DrawnCase beside;
  std::string how;  ///< "the two largest entries of argument 0 along dimension 1"
};

/// For an argument of which no entries tie: the two largest entries of every slice along a
/// dimension made equal, or the two smallest, by moving the outer one inward and nothing else. For
/// all entries to be equal would be another function's point: a contraction may be none there.
/// None if the argument's entries are declared distinct, or are not real numbers.
std::vector<MadeTie> made_ties(const DrawnCase& drawn, std::size_t argument);

}  // namespace notape::verify
