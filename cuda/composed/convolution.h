// Convolutions for a device that can copy, add and multiply matrices: every window of the image is
// laid out as a column (im2col; Chellapilla, Puri and Simard 2006), so that a convolution is one
// product of matrices for many images and all groups. They call kernels of the device that their
// tensors are on, and so are tested on the CPU.
#pragma once
#include "ops/conv/conv2d.h"

namespace notape::cuda {

// Implementations of the slots in ops/conv/conv2d.h.
void convolve(const Operation& op, const Tensor& result, const Tensor& image, const Tensor& filter,
              const Tensor& bias, const Conv2dProblem& problem);
void convolve_backward_input(const Operation& op, const Tensor& result, const Tensor& response,
                             const Tensor& filter, const Conv2dProblem& problem);
void convolve_backward_weight(const Operation& op, const Tensor& result, const Tensor& response,
                              const Tensor& image, const Conv2dProblem& problem);

// And in ops/conv/im2col.h.
void unfold_windows(const Operation& op, const Tensor& columns, const Tensor& image,
                    const Conv2dProblem& problem);
void fold_windows(const Operation& op, const Tensor& image, const Tensor& columns,
                  const Conv2dProblem& problem);

}  // namespace notape::cuda
