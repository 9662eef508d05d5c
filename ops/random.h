// Operators that draw random numbers, from the default generator of the thread.
#pragma once
#include "ops/at.h"

namespace notape {

/// In training each element is zeroed with probability p and the rest scaled by 1 / (1 - p); the
/// gradient uses the same mask. Otherwise the identity. Throws ValueError unless 0 <= p <= 1.
Tensor dropout(const Tensor& input, double p = 0.5, bool train = true, At at = At::current());

}  // namespace notape
