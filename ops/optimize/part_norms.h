// The norm of many tensors together on a GPU, without a launch for each.
#pragma once
#include <vector>

#include "ops/core/kernel_slot.h"

namespace notape::optimize {

/// Elements of a tensor whose norm is one number.
inline constexpr int64_t kNormPart = 16384;

/// The 2-norms of all parts, one after the other, as float64 into `result`. Tensors are dense, of
/// float32 and not empty. GPUs only.
using PartNormsKernel =
    Kernel<void(const Operation&, const Tensor& result, const std::vector<Tensor>& tensors)>;
extern PartNormsKernel part_norms_kernel;

/// Numbers on the GPU, float64, whose 2-norm is that of all tensors; undefined unless all are on
/// one GPU and as the kernel takes them.
Tensor part_norms(const Operation& op, const std::vector<Tensor>& tensors);

}  // namespace notape::optimize
