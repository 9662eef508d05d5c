// Losses.
#pragma once
#include "ops/at.h"

namespace notape {

enum class Reduction { None, Mean, Sum };

/// Minus the log-probability of the target class: input (N, C) or (C) or (N, C, d1, ...) log
/// probabilities, target class numbers (N), () or (N, d1, ...). `weight` (C) scales classes;
/// `ignore_index` contributes nothing. Mean divides by the sum of weights used. Throws IndexError
/// for a target outside [0, C).
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                Reduction reduction = Reduction::Mean, int64_t ignore_index = -100,
                At at = At::current());
/// nll_loss of log_softmax over the class dimension.
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                     Reduction reduction = Reduction::Mean, int64_t ignore_index = -100,
                     At at = At::current());
/// (input - target)^2, broadcast.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean,
                At at = At::current());

}  // namespace notape
