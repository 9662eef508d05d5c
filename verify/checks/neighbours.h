// Neighbours: a float32 case whose inputs are moved by a few roundings. Float32 arithmetic inside
// an operator may be on the other side of a kink than the reference: a norm that rounds to 1 is
// above 1 in float64. The derivative there is that of one of the neighbours.
#pragma once
#include "verify/checks/subject.h"
#include "verify/numeric/ladder.h"

namespace notape::verify {

/// To either side: away from zero, towards it, up, down, and with some mixed signs. None of a
/// float64 subject, whose reference takes the same side.
std::vector<DrawnCase> neighbours_in_float32(const Subject& subject);

/// Moved by what roundings on the way do to float32 results, which may make values tie that differ:
/// those of x + 1000 at 1e-5 and at 2e-5.
std::vector<DrawnCase> neighbours_by_results(const Subject& subject);

/// Whether the derivative and the slope are both among what `derivative` gives, in float64, as far
/// away as roundings inside have moved float32 values, and that is something else here and there: a
/// tie in float32 only, whose gradient cannot be determined.
bool is_of_a_rounded_tie(const Subject& subject, Wide claimed, Wide slope, Wide radius,
                         const std::function<Wide(const Subject& moved)>& derivative);

/// Of a neighbour's own values in float64, in steps too small to reach back over the kink.
Slope slope_in_tiny_steps(const Subject& neighbour, const Direction& u);

}  // namespace notape::verify
