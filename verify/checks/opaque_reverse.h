// reverse, for operators without a reference: <J^T v, u> against a ladder over the operator's own
// values. Entries that lie on a kink are judged one by one: there the derivative must lie between
// the slopes of both sides; which convention it should follow, nobody has declared.
#pragma once
#include "verify/checks/outcome.h"
#include "verify/checks/subject.h"

namespace notape::verify {

Outcome check_opaque_reverse(const Subject& subject);
/// Whether the gradient is wrong along u, beyond doubt and away from kinks.
bool is_wrong_along(const Subject& subject, const Direction& u);
Evidence opaque_reverse_evidence(const Subject& subject, int which);

}  // namespace notape::verify
