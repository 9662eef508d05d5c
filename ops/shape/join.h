// Joining many tensors on a GPU, without a launch for each.
#pragma once
#include "ops/core/kernel_slot.h"

namespace notape {

/// `result`, row-major and not empty, is `lines` lines, each those of the tensors side by side.
/// They are row-major, too, and of its dtype. GPUs only.
using JoinKernel =
    Kernel<void(const Operation&, const Tensor& result, const TensorList& tensors, int64_t lines)>;
extern JoinKernel join_kernel;

}  // namespace notape
