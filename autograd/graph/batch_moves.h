// The differentiable moves between plain and batched tensors. Each copies, so that a later write to
// one side cannot reach what was saved of the other.
#pragma once
#include "autograd/tensor/batch.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// Dimension `dim` of `tensor`, whose size must be the level's, becomes the level.
Tensor enter_level(const Tensor& tensor, BatchLevel level, int64_t dim,
                   SourceLocation at = SourceLocation::current());
/// The level becomes dimension `dim`; the samples repeated if the tensor lacks it.
Tensor leave_level(const Tensor& tensor, BatchLevel level, int64_t dim,
                   SourceLocation at = SourceLocation::current());
/// The sum of the samples of a level; as often the same if the tensor lacks it.
Tensor sum_over_level(const Tensor& tensor, BatchLevel level,
                      SourceLocation at = SourceLocation::current());
/// The same value for each sample of levels that the tensor lacks.
Tensor spread_over_levels(const Tensor& tensor, const BatchLevels& levels,
                          SourceLocation at = SourceLocation::current());

}  // namespace notape
