// What batching rules build on, and what an operator without one does with batched operands.
#pragma once
#include <functional>

#include "autograd/batching/batched_tensor.h"
#include "autograd/observer.h"
#include "ops/core/allocate.h"

namespace notape {

/// over_batch() for what runs along one dimension, given to f as it stands behind the batch. 0-d
/// operands become 1-d for f; the result is 0-d again if `shape` is.
template <typename F, typename... Operands>
Tensor over_batch_along(int64_t dim, const Tensor& shape, const F& f, const Operands&... operands) {
  const auto lined_up = [](const Tensor& operand) {
    return operand.dim() > 0 ? operand
                             : raw_alias(operand, Geometry({1}, {1}, operand.storage_offset()));
  };
  const Tensor result = over_batch([&](int64_t, const auto&... all) { return f(dim + 1, all...); },
                                   lined_up(operands)...);
  if (shape.dim() > 0) return result;
  return raw_alias(result, Geometry({}, {}, result.storage_offset()));
}

/// Throws BatchingNotImplemented, naming the operator.
[[noreturn]] void refuse_batched(const Operation& op);

/// Under LoopFallbackGuard f(operands of one sample) for each sample, joined and recorded;
/// otherwise throws BatchingNotImplemented. Some operand must be batched.
Tensor loop_over_batch(const Operation& op, const std::function<Tensor(const TensorList&)>& f,
                       const TensorList& operands);

}  // namespace notape
