// The derivative that logarithms share.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

/// grad / x; NaN for x < 0, outside the domain, where the logarithm is NaN, too. Differentiable.
Tensor log_gradient(const Tensor& grad, const Tensor& x);

}  // namespace notape
