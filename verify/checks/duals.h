// Forward mode: the tangent of a result by dual numbers.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// <v, J u>, at a point other than the case's if one is given.
Sample forward_slope(const Subject& subject, const Direction& u, const NoisePoint* point = nullptr);
/// The same; none of an operator without forward mode.
std::optional<Sample> forward_slope_if_any(const Subject& subject, const Direction& u,
                                           const NoisePoint* point = nullptr);

}  // namespace notape::verify
