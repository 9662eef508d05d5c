// Running statistics of batch_norm and instance_norm: means and variances of batches, averaged with
// weights that fall off.
#pragma once
#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

namespace notape {

struct Running {
  Tensor mean, variance;  // (C) each, or undefined
};

/// Throws ShapeError unless weight, bias and the statistics have the input's channels, where they
/// are defined, and refuses gradients of the statistics.
void check_channels(const Operation& op, const Tensor& input, const Tensor& weight,
                    const Tensor& bias, const Running& running);

/// running = (1 - momentum) running + momentum batch for both, where `batch_variance` is of n and
/// made one of n - 1. Validates both writes first.
void update(const Operation& op, const Running& running, const Tensor& batch_mean,
            const Tensor& batch_variance, int64_t n, double momentum);

}  // namespace notape
