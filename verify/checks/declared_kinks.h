// kinks, for operators without a reference: on a kink that a row declares the derivative must lie
// between the slopes of both sides. (Which of them it should be is the convention, for which a
// reference or check_kink() is needed.)
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// Whether some entry may lie on a declared kink.
bool has_declared_kinks(const Subject& subject);
Outcome check_declared_kinks(const Subject& subject);

}  // namespace notape::verify
