// The directions along which one case is differentiated.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// All arguments at both scalings, each argument alone, and each entry alone if there are few.
std::vector<Direction> directions_of(const Subject& subject);

}  // namespace notape::verify
