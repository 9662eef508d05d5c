#pragma once
#include "ops/loss.h"
#include "ops/reduce/reduction.h"

namespace notape {

/// The dimension of the classes.
inline int64_t class_dim(int64_t input_rank) { return input_rank == 1 ? 0 : 1; }

/// Which class each target names, as it is, and the derivative of the loss with respect to its
/// value. Own tensors, so that targets and weights may change before the gradient is taken.
struct Picks {
  Tensor labels, coefficient;  // (N, 1, d1, ...), or (1)
};

/// Computes the loss, of the target's shape or 0-d, from row-major tensors and fills the
/// coefficients; says whether a target may be ignored, which counts for nothing. A weight of 0 is a
/// number like others: times infinity or NaN it gives NaN. `weight` may be undefined. Throws
/// IndexError for a label that is no class, at once or later (checked_range).
using NllLossKernel = Kernel<void(const Operation&, const Tensor& result, const Picks& picks,
                                  const Tensor& input, const Tensor& weight, Reduction reduction,
                                  int64_t ignore_index, bool& any_ignored)>;
extern NllLossKernel nll_loss_kernel;
/// Of the input: grad (one for all, or of the labels' number) times the coefficients where labels
/// are not ignored, and else 0. Row-major tensors.
using NllLossGradientKernel =
    Kernel<void(const Operation&, const Tensor& result, const Tensor& grad, const Picks& picks,
                int64_t ignore_index)>;
extern NllLossGradientKernel nll_loss_gradient_kernel;

}  // namespace notape
