// The third derivative of a path, by differences with one step of Richardson's extrapolation.
#pragma once
#include "verify/numeric/ladder.h"

namespace notape::verify {

/// For third derivatives, whose rounding errors grow with 1/h^3.
inline constexpr Steps kQuickThird{14, 16};
inline constexpr Steps kThoroughThird{4, 26};

/// d^3 phi / dt^3 at 0. Not finite outside the domain.
Slope third_slope(const Path& phi, Steps steps);

}  // namespace notape::verify
