// What operators of version 2 of the C interface declare beside a backward is held against them: a
// reference in long double, its exact slope, and the derivative on kinks.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

bool has_foreign_reference(const Subject& subject);
/// The value against the reference. The radius is what one unit in the last place of the inputs
/// does to the reference, what other rounding modes do to the value, and a few roundings; and
/// where that is not enough, how errors scatter nearby, as far as both dtypes say so.
Outcome check_foreign_reference(const Subject& subject);

bool has_foreign_slope(const Subject& subject);
/// <J^T v, u> against <v, J u> of the reference, which no difference has blurred.
Outcome check_foreign_slope(const Subject& subject);

bool has_foreign_kinks(const Subject& subject);
/// One entry of each input that has kinks, put onto each of them: the gradient there is what the
/// convention makes of the slopes of both sides, as measured, and so is the forward derivative.
Outcome check_foreign_kinks(const Subject& subject);

}  // namespace notape::verify
