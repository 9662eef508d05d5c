// The gradients of layer_norm for rows of floats, all three in one pass over memory.
#pragma once
#include "ops/normalization/normalize.h"

namespace notape {

/// False, and nothing of use written, unless each row of floats is a group, all three gradients are
/// wanted and all their sums are finite.
bool layer_gradient(const NormalizeGradients& gradients, const Tensor& grad, const Tensor& x,
                    const Tensor& weight, const Tensor& mean, const Tensor& variance,
                    const NormalizeProblem& problem);

}  // namespace notape
