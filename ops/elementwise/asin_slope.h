// The derivative that asin and, with a sign, acos share.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

/// 1 / sqrt(1 - x^2); NaN beyond -1 and 1. Differentiable.
Tensor asin_slope(const Tensor& self);

}  // namespace notape
