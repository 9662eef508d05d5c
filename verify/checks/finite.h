#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// Of an operator without a reference: no entry of its result is NaN inside its domain.
Outcome check_finite(const Subject& subject);
/// Whether it is one at this case: what stays NaN looks as if it stood still, and has no slope.
bool is_nan_inside_domain(const Subject& subject);

}  // namespace notape::verify
