// Resampling for a device that can pick, multiply and add.
#pragma once
#include "ops/resample/resample.h"

namespace notape::cuda {

/// Implementation of the slot in ops/resample/resample.h: the first terms of all rows, then the
/// second ones, and so on.
void resample_by_terms(const Operation& op, const Tensor& result, const Tensor& x,
                       const SparseRows& matrix, int64_t inner);

}  // namespace notape::cuda
