#include "autograd/graph/checksum.h"

#include "autograd/batching/batched_tensor.h"
#include "autograd/forward/tangent.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/fingerprint.h"

namespace notape {

uint64_t checksum_of(const Tensor& value) {
  const NoGradGuard no_grad;
  const ForwardLevelLimit no_tangents(0);
  // Of a batched tensor: of all its samples.
  const Tensor whole =
      is_batched(value) ? with_batch_dims(value, levels_of(value), value.dim()) : value;
  Tensor rows = core_operators->clone(whole, contiguous_strides(whole.sizes()));
  if (!rows.device().is_cpu()) rows = core_operators->convert(rows, rows.dtype(), Device());
  const auto* bytes = static_cast<const unsigned char*>(rows.impl().data());
  const std::size_t size = static_cast<std::size_t>(rows.numel()) * rows.element_size();
  ByteHash hash;
  hash.add(bytes, size);
  return hash.finish();
}

}  // namespace notape
