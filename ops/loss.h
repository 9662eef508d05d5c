// Losses: not members of Tensor, as in LibTorch. A Reduction makes one number of their terms, the
// mean or the sum, or leaves them. A mean of nothing is NaN.
#pragma once
#include "ops/at.h"

namespace notape {

enum class Reduction { None, Mean, Sum };

/// -weight[t] input[t] at the target class t, whatever the other entries are: input (N, C) or (C)
/// or (N, C, d1, ...) floating log-probabilities, target class numbers (N), () or (N, d1, ...) of
/// dtype int64 or uint8 -> the target's shape, or (). `weight` (C), 1 if undefined, scales classes
/// and has no derivative (DerivativeNotImplemented); targets equal to `ignore_index` contribute
/// nothing. Mean divides by the sum of the weights used. Throws IndexError for another target
/// outside [0, C), ShapeError, DtypeError, DeviceError, UndefinedTensor.
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                Reduction reduction = Reduction::Mean, int64_t ignore_index = -100,
                At at = At::current());
/// nll_loss of log_softmax over the class dimension, of the same arguments and errors; input are
/// scores, not log-probabilities. Its gradient does not vanish where the largest probability is
/// nearly 1 (LibTorch's does).
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                     Reduction reduction = Reduction::Mean, int64_t ignore_index = -100,
                     At at = At::current());
/// (input - target)^2, broadcast (with a warning) and promoted;  d/dinput = 2 (input -
/// target) = -d/dtarget. Integers count as float32; LibTorch refuses them.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean,
                At at = At::current());

}  // namespace notape
