// A kink, or an end of the domain, that is nearer than the ladder's smallest step.
#pragma once
#include "verify/checks/directions_of.h"
#include "verify/checks/subject.h"
#include "verify/numeric/local_shape.h"

namespace notape::verify {

/// From there a kink looks like a jump. A jump is as high over the smallest step that there is.
bool jump_persists(const Subject& subject, const Direction& u, const Samples& samples);

/// From there the slope at an end looks unbounded. Whether in far smaller steps it is roughly what
/// the gradient says, `claimed`.
bool slope_settles(const Subject& subject, const Direction& u, double claimed);

/// Where three entries or more are equal, an operator that puts them into an order may give each
/// another one's derivative, which need not lie between its own slopes. Whether a kink along one
/// entry is gone when its equals have moved out of its way.
bool is_kink_of_a_tie(const Subject& subject, const Direction& u);

}  // namespace notape::verify
