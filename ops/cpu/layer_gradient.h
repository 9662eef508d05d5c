// The gradients of layer_norm for rows of floats, all three in one pass over memory, whichever of
// them are wanted: none depends on that.
#pragma once
#include "ops/normalization/normalize.h"

namespace notape {

/// False, and nothing of use written, unless each row of floats is a group with a weight, and all
/// sums are finite.
bool layer_gradient(const NormalizeGradients& gradients, const Tensor& grad, const Tensor& x,
                    const Tensor& weight, const Tensor& mean, const Tensor& variance,
                    const NormalizeProblem& problem);

}  // namespace notape
