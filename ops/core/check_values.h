// Numbers in tensors that are to lie within bounds: probabilities, deviations, weights.
#pragma once
#include "ops/core/kernel_slot.h"

namespace notape {

/// What every element is to be, and what is said of one that is not; {} in it becomes the element.
struct ValueBounds {
  double least, most;
  const char* words;  ///< lives as long as the process
};

/// Throws ValueError unless least <= element <= most, which NaN is not. A device whose kernels run
/// later has them find it, and raises the error in the next call that waits for it.
using ValueCheckKernel = Kernel<void(const Operation&, const Tensor& values, const ValueBounds&)>;
extern ValueCheckKernel value_check_kernel;

/// The same for any strides and batches, of floating type.
void check_values(const Operation& op, const Tensor& values, const ValueBounds& bounds);

}  // namespace notape
