// Max pooling for a device that can copy, find the largest of a row, and read and add at positions.
#pragma once
#include "ops/conv/max_pool2d.h"

namespace notape::cuda {

// Implementations of the slots in ops/conv/max_pool2d.h.
void pool_maxima(const Operation& op, const Tensor& result, const Tensor& indices,
                 const Tensor& image, const MaxPool2dProblem& problem);
void gather_maxima(const Operation& op, const Tensor& result, const Tensor& image,
                   const Tensor& indices, const MaxPool2dProblem& problem);
void scatter_maxima(const Operation& op, const Tensor& result, const Tensor& values,
                    const Tensor& indices, const MaxPool2dProblem& problem);

}  // namespace notape::cuda
