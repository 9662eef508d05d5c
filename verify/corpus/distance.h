// How wrong a function is, without asking the verifier: its gradients beside those of the right
// one.
#pragma once
#include "verify/gradcheck.h"

namespace notape::verify::corpus {

/// The largest relative distance |wrong - right| / |right|, in sums over the entries of one
/// argument, of derivatives of this order at these inputs: for incoming gradients of several
/// layouts, at a second backward, after another call of forward, and after another backward.
/// Infinite where the right derivative is zero and the wrong one is not, or where the wrong
/// function throws.
double distance(const TensorFunction& right, const TensorFunction& wrong,
                const variable_list& inputs, int order);

/// Distances up to this one are roundings.
inline constexpr double kNoDistance = 1e-12;

}  // namespace notape::verify::corpus
