// softmax(s Q K^T + M) V as one computation that goes through the scores block by block and keeps
// none of them: T. Dao et al., "FlashAttention", 2022.
#pragma once
#include <array>

#include "ops/at.h"
#include "ops/core/kernel_slot.h"

namespace notape {

/// Query (.., L, E), key (.., S, E) and value (.., S, Ev) have the same dimensions in front; a
/// mask, bool or of their type, broadcasts to (.., L, S). It may be undefined.
struct Attending {
  Tensor query, key, value, mask;
  double scale;
  bool is_causal;
};

/// The result (.., L, Ev), and of each row of scores the largest and the reciprocal of the sum of
/// exponentials of the distances to it, (.., 2, L).
struct Attended {
  Tensor result, statistics;
};

/// The weights (.., L, S) in differentiable operators; 0 in rows that a mask leaves nothing of.
Tensor attention_weights(const Attending& in, At at);

/// Whether attend() takes it: where there is a kernel for the type, and nothing is empty or
/// batched.
bool is_attended_whole(const Attending& in);
/// Derivatives of every order. It keeps nothing of the size of the scores.
Tensor attend(const Operation& op, const Attending& in);

/// Strides are arbitrary, but rows of the result are contiguous, and the statistics row-major.
using AttentionKernel = Kernel<void(const Operation&, const Attended& out, const Attending& in)>;
extern AttentionKernel attention_kernel;
/// Of query, key and value, with contiguous rows; those that are undefined are not computed.
using AttentionGradients = std::array<Tensor, 3>;
using AttentionGradientKernel =
    Kernel<void(const Operation&, const AttentionGradients& gradients, const Tensor& grad,
                const Attended& out, const Attending& in)>;
extern AttentionGradientKernel attention_gradient_kernel;

}  // namespace notape
