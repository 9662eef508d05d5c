// Conventions: what the derivative should be on a kink, a tie or a jump, beside it, and where a
// comparison ties; measured on the reference in 113 bits.
#pragma once
#include "verify/checks/singular_places.h"

namespace notape::verify {

/// A place and the arguments with respect to which it is differentiated.
struct SingularQuestion {
  const Subject& subject;
  const Place& place;
  ArgumentMask active;
  std::vector<ArgumentEntry> entries;  ///< the active ones, in row-major order
};

/// What the derivative should be there.
struct SingularAnswer {
  Verdict verdict = Verdict::Unresolved;
  std::vector<Wide> expected = {};  ///< one per entry; empty if nothing is known
  /// On a kink or jump: the smallest and the largest slope of the pieces that meet, per entry.
  std::vector<Wide> least = {}, most = {};
  Wide error = 0;  ///< of all of these
  /// Where an operator puts tied entries in order: the slopes if it does so from the other end.
  std::vector<Wide> reversed = {};
  std::string why = {};
};

SingularAnswer convention_at(const SingularQuestion& question);

}  // namespace notape::verify
