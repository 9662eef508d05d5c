// What the divisors of div and addcdiv get.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

/// a / b^2, also where b^2 is out of range. Differentiable.
Tensor div_slope(const Tensor& a, const Tensor& b);

}  // namespace notape
