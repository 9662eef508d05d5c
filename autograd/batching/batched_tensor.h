// The two faces of a batched tensor: one sample, and a plain tensor with the batch in front.
#pragma once
#include "autograd/tensor/batch.h"
#include "autograd/tensor/tensor.h"

namespace notape {

inline bool is_batched(const Tensor& tensor) {
  return tensor.defined() && tensor.impl().device().is_batched();
}
template <typename... Tensors>
bool any_batched(const Tensors&... tensors) {
  return (is_batched(tensors) || ...);
}

/// Uninitialised memory for one tensor of `sample` per entry of the levels' product; a plain tensor
/// if there are no levels. `device` is where the samples are.
Tensor allocate_batched(const BatchLevels& levels, const Geometry& sample, ScalarType dtype,
                        Device device);

/// All samples as one plain tensor: a leading dimension per level, then ones up to `rank`
/// dimensions, then the tensor's own. Repeated along levels it lacks. No copy, no graph.
Tensor with_batch_dims(const Tensor& tensor, const BatchLevels& levels, int64_t rank);
/// The reverse: the leading dimensions become levels. No graph.
Tensor as_batched(const Tensor& plain, const BatchLevels& levels);

/// One level as a leading dimension, repeated if the tensor lacks it; other levels stay. Undefined
/// stays undefined. No copy, no graph.
Tensor peel(const Tensor& tensor, BatchLevel level);
/// The reverse: the leading dimension becomes a level. No graph.
Tensor wrap(const Tensor& peeled, BatchLevel level);

/// f(batch size, operands with the batch in front...), its leading dimension the batch again: how
/// an operator that can take its batch as one more dimension computes; one level at a time, f
/// seeing the others as batched operands. Some operand must be batched. No graph.
template <typename F, typename... Operands>
Tensor over_batch(const F& f, const Operands&... operands) {
  const BatchLevel level = levels_of({&operands...}).back();
  return wrap(f(level.size, peel(operands, level)...), level);
}

}  // namespace notape
