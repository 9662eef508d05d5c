#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// Of an operator without a reference: no entry of its result is NaN inside its domain.
Outcome check_finite(const Subject& subject);

}  // namespace notape::verify
