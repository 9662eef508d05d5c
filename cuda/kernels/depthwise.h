// Convolutions in which each channel of the image is one for itself, without columns: what windows
// of one channel multiply is too little for a product of matrices.
#pragma once
#include "ops/conv/conv2d.h"

namespace notape::cuda {

/// Each group has one channel of the image, and all can be counted in 31 bits.
bool is_depthwise(const Conv2dProblem& problem);

// As in composed/convolution.h, of depthwise problems.
void depthwise(const Operation& op, const Tensor& result, const Tensor& image, const Tensor& filter,
               const Tensor& bias, const Conv2dProblem& problem);
void depthwise_backward_input(const Operation& op, const Tensor& result, const Tensor& response,
                              const Tensor& filter, const Conv2dProblem& problem);
void depthwise_backward_weight(const Operation& op, const Tensor& result, const Tensor& response,
                               const Tensor& image, const Conv2dProblem& problem);

}  // namespace notape::cuda
