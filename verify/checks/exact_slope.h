// The exact slope of a case: its reference on dual numbers gives the derivative without steps, on
// the branches that it takes at the point.
#pragma once
#include "verify/checks/evidence.h"
#include "verify/checks/subject.h"

namespace notape::verify {

struct ExactSlope {
  Sample value;  ///< <v, J u>, and the sum of its terms' sizes
  /// How far along u, to either side, the reference takes its first other branch. At 0 the point
  /// is on one, and the value is the slope of some branch that meets there.
  Wide branch = 0;

  /// A number, and of the only branch there is.
  bool is_sure() const { return branch > 0 && is_finite(value.value); }
  Wide error() const;
};

/// x, moving along u.
DualList dual_values(const WideList& x, const Direction& u);
/// None if the reference takes no dual numbers.
std::optional<ExactSlope> exact_slope(const Subject& subject, const Direction& u, const WideList& x,
                                      const Numbers& v);

/// Whether a comparison of the reference ties at the case's own point. It may be on a kink then.
bool is_on_branch(const Subject& subject);

/// The reference's slope at x with incoming gradient v: exact if that is sure, else by a ladder.
Slope reference_slope(const Subject& subject, const Direction& u, const WideList& x,
                      const Numbers& v);
/// The steps of a ladder along u, shortened until they end before the next branch does and within
/// the domain.
Steps uncrossing(const Subject& subject, const Direction& u, Steps steps);
/// At the case's own point, by steps that end before the next branch does.
Slope ladder_slope(const Subject& subject, const Direction& u, Steps steps);
/// The slope of the operator's own values in float64, to some 9 digits where it is smooth. Not a
/// number outside the domain.
double rough_slope(const Subject& subject, const Direction& u, double step = 0x1p-9);
/// What rounding leaves of that: slopes nearer to each other than this look alike.
double rough_resolution(const Subject& subject, const Direction& u, double step = 0x1p-9);
/// Whether the reference's slopes along u to both sides of the point differ. (A formula may bend
/// where it compares nothing: (x + sqrt(x x)) / 2.)
bool bends_here(const Subject& subject, const Direction& u);
/// The exact slope if the operator's own values in float64 rise like it; they are cheap, and share
/// neither code nor roundings with the dual numbers. None if that is open.
std::optional<Slope> confirmed_slope(const Subject& subject, const Direction& u);

/// The same as a leg, absent where it is not sure.
Leg exact_leg(const Subject& subject, const Direction& u);

}  // namespace notape::verify
