// Singular places: cases of an operator moved onto a declared kink or a tie, or so many units in
// the last place beside it.
#pragma once
#include "verify/checks/subject.h"
#include "verify/numeric/local_shape.h"

namespace notape::verify {

/// An entry of an argument.
struct Lane {
  std::size_t argument, entry;
};

struct Place {
  DrawnCase drawn;
  std::vector<Lane> lanes;  ///< what lies there; several ones are tied
  std::size_t output = 0;   ///< the entry of the result that notices
  /// How far the lanes are from the kink or from each other: 0 on it.
  double distance = 0;
  bool tie = false;
};

/// On one kink and on one tie of two or three entries, if there are any, and 1, 2, 2^10 and 2^30
/// units in the last place to both sides. A kink that lies between the numbers of the dtype, as
/// that of x * beta at threshold / beta may, is only approached to 2^10 units; so is a jump, where
/// the operator's own roundings decide about the side.
std::vector<Place> singular_places(const Subject& subject);

/// Every argument that stays as it is, and a step in one entry.
Direction along_lane(const DrawnCase& drawn, const Lane& lane, double size);
/// The size of entries around the lanes: a power of two.
double unit_of(const Place& place);
/// One output alone.
Numbers one_output(const Subject& subject, std::size_t output);

/// The reference at a place, in steps far below the distances of numbers of the dtype.
Samples samples_at(const Subject& subject, const Place& place, const Lane& lane);

}  // namespace notape::verify
