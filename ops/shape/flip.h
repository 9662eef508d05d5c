// The kernel of flip: a copy with the order of some dimensions reversed.
#pragma once
#include "ops/core/kernel_slot.h"

namespace notape {

/// Both row-major and of one shape and dtype; `reversed` has an entry per dimension.
using FlipKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& self,
                               const std::vector<bool>& reversed)>;
extern FlipKernel flip_kernel;

}  // namespace notape
