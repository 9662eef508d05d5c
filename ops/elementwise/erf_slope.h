// The derivative that erf, erfc and, by its reciprocal, erfinv share.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

/// 2 / sqrt(pi) e^(-x^2), within two units in the last place for every x. Differentiable.
Tensor erf_slope(const Tensor& self);

}  // namespace notape
