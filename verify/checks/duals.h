// Forward mode: the tangent of a result by dual numbers.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// <v, J u>; `values` other than the case's may be given.
Sample forward_slope(const Subject& subject, const Direction& u,
                     const std::vector<Numbers>* values = nullptr);

}  // namespace notape::verify
