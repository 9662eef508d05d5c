// The second derivative against second differences of the value. The slope of an operator's own
// gradient shows that second and first order fit each other, not that the gradient is right
// anywhere but at the point: at 0 the rule grad * 0 for x^2 is as good as 2 x there, and has
// another derivative. Differences of differences see less, and that.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// A failure if the values contradict the second derivative in steps in which they are resolved;
/// none if not.
std::optional<Outcome> contradiction_by_values(const Subject& subject);

}  // namespace notape::verify
