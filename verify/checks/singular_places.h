// Singular places: cases of an operator moved onto a declared kink or a tie, or so many units in
// the last place beside it.
#pragma once
#include "verify/checks/argument_entry.h"
#include "verify/numeric/local_shape.h"

namespace notape::verify {

struct Place {
  DrawnCase drawn;
  std::vector<ArgumentEntry> entries;  ///< the entries that lie there; several are tied
  std::size_t output = 0;              ///< the entry of the result that changes
  /// How far the entries are from the kink or from each other: 0 on it.
  double distance = 0;
  bool tie = false;
  bool declared = true;  ///< by the row; else found by following its comparisons
};

/// On one kink and on one tie of two or three entries, if there are any, and 1, 2, 2^10 and 2^30
/// units in the last place to both sides; and on what undeclared_places() finds. A kink that lies
/// between the numbers of the dtype, as that of x * beta at threshold / beta may, is only
/// approached to 2^10 units; so is a jump, where the operator's own roundings decide about the
/// side.
std::vector<Place> singular_places(const Subject& subject);

/// The size of the numbers around the entries: a power of two.
double unit_of(const Place& place);
/// The reference at a place, in steps far below the distances of numbers of the dtype.
Samples samples_at(const Subject& subject, const Place& place, const ArgumentEntry& entry);

}  // namespace notape::verify
