// Convolutions of batched operands: the samples become more images where all share one filter, and
// groups of channels where they do not.
#pragma once
#include "ops/conv/conv2d.h"
#include "ops/shape.h"

namespace notape {

/// (samples N, C, H, W), (O, C / groups, kH, kW), (samples N, O, H', W')
Conv2dProblem samples_as_images(Conv2dProblem problem, int64_t samples);
/// (N, samples C, H, W), (samples O, C / groups, kH, kW), (N, samples O, H', W')
Conv2dProblem samples_as_groups(Conv2dProblem problem, int64_t samples);

/// (samples, N, C, H, W) to (N, samples C, H, W), and back.
Tensor join_channels(const Tensor& samples);
Tensor split_channels(const Tensor& joined, int64_t samples);
/// (samples, A, ...) to (samples A, ...), and back.
Tensor join_samples(const Tensor& samples);
Tensor split_samples(const Tensor& joined, int64_t samples);

/// The result for an empty batch of operands like `operand`.
Tensor zeros_of_no_sample(const std::array<int64_t, 4>& sizes, const Tensor& operand);

}  // namespace notape
