// Opaque operators have no reference in extended precision. Their own values in float64 stand in
// for it: a ladder over them measures their noise, sees kinks and jumps, and leaves out steps that
// reach over one nearby.
#pragma once
#include <cmath>

#include "verify/checks/argument_entry.h"
#include "verify/numeric/double_ladder.h"

namespace notape::verify {

/// The operator at x, rounded to float64, without recording.
WideTensor opaque_reference(const Subject& subject, const WideList& x);

/// UNRESOLVED if the operator of a float32 subject takes no float64, and so has no values fine
/// enough to difference; none if it does.
std::optional<Outcome> refusal_of_float64(const Subject& subject);
/// x + t u, rounded to float64.
std::vector<Numbers> point_along(const DrawnCase& drawn, const Direction& u, double t);
/// Numbers that something computes, however this thread rounds.
using Evaluation = std::function<Numbers()>;
/// t -> <weights, y(t) - y(0)>, where `at(t)` evaluates y(t), NaN where that throws; and how far
/// roundings inside y move it. Entries that do not move along the path add nothing, however large,
/// infinite or no number they are.
DoublePath path_of(const std::function<Evaluation(double t)>& at, Numbers weights, Device device);
/// t -> <v, f(x + t u) - f(x)>, where points are rounded to float64 and NaN outside the domain. All
/// that is handed over must outlive it.
DoublePath opaque_path(const Subject& subject, const Direction& u, const Numbers& v);
/// The whole ladder of that.
Ladder opaque_ladder(const Subject& subject, const Direction& u, const Numbers& v);
/// A slope has to be the same with other steps, or what looks like one is noise: whether that of
/// `ladder(1)` is, where `ladder(share)` has all steps times `share`, and whether these, too, say
/// that it is not `claimed`. (Powers of two times a number rounded to float32 are all rounded
/// alike.)
bool is_confirmed(const std::function<Ladder(double share)>& ladder, Wide claimed);
/// Every step times `share`.
Numbers scaled(Numbers steps, double share);
Direction scaled(Direction u, double share);
/// Of any subject and its own v, from its reference in these steps or from its own values.
Slope numeric_slope(const Subject& subject, const Direction& u, Steps steps);

/// The entries which, moved alone, meet a kink, jump or unbounded slope right where they are; only
/// the first 512 are looked at.
std::vector<ArgumentEntry> singular_entries(
    const Subject& subject, const std::function<Ladder(const Direction& u)>& ladder);
/// The same for the operator's own values.
std::vector<ArgumentEntry> singular_entries(const Subject& subject);
/// Whether there are any.
bool is_singular(const Subject& subject);
/// Numbers of one sign, no two alike, for every entry of the result: as v they let no kink
/// cancel another.
Numbers unlike_numbers(const Subject& subject);
/// u, but these entries stay where they are.
Direction without(Direction u, const std::vector<ArgumentEntry>& entries);
/// Whether no entry moves.
bool is_still(const Direction& u);

}  // namespace notape::verify
