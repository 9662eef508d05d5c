// Three cases with three classes, for the losses over class scores.
#pragma once
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {

/// (3, 3) log-probabilities, or near enough.
inline Tensor scores() { return constant({{-0.5, -1.5, -2.5}, {-3, -0.25, -1.75}, {-1, -2, -4}}); }
inline Tensor target() { return tensor({2, 0, 1}); }
inline Tensor class_weight() { return constant({0.5, 1.5, 2}); }

}  // namespace notape::testing
