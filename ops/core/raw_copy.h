// The kernel of strided, converting copies within a device.
#pragma once
#include "ops/core/kernel_slot.h"

namespace notape {

/// Element by element with conversion; `source` broadcasts to `target`. Both on one device.
using CopyKernel = Kernel<void(const Operation&, const Tensor& target, const Tensor& source)>;
extern CopyKernel copy_kernel;

}  // namespace notape
