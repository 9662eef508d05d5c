#include "ops/optimize/part_norms.h"

#include "ops/core/allocate.h"

namespace notape::optimize {

constinit PartNormsKernel part_norms_kernel(nullptr);

Tensor part_norms(const Operation& op, const std::vector<Tensor>& tensors) {
  int64_t parts = 0;
  for (const Tensor& tensor : tensors) {
    if (!tensor.is_cuda() || tensor.device() != tensors[0].device() || is_batched(tensor) ||
        tensor.dtype() != kFloat32 || !tensor.impl().geometry().is_dense())
      return {};
    parts += (tensor.numel() + kNormPart - 1) / kNormPart;
  }
  if (parts == 0) return {};
  Tensor result = allocate(IntArrayRef({parts}), kFloat64, tensors[0].device());
  part_norms_kernel(op, kFloat32, result.device(), result, tensors);
  return result;
}

}  // namespace notape::optimize
