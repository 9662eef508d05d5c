// Operators that draw random numbers, from the default generator of the thread.
#pragma once
#include "ops/at.h"

namespace notape {

/// In training each element is zeroed with probability p and the rest scaled by 1 / (1 - p); the
/// gradient uses the same mask, drawn in row-major order whatever the strides. Otherwise, and for
/// p = 0, input itself. With p = 1 all is 0. Throws ValueError unless 0 <= p <= 1, DtypeError for
/// integers in training. Not a member.
Tensor dropout(const Tensor& input, double p = 0.5, bool train = true, At at = At::current());

}  // namespace notape
