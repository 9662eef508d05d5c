// Binary search in sorted rows.
#pragma once
#include "ops/core/kernel_slot.h"

namespace notape {

/// values: (rows, m); sequence: (rows, n) or (1, n); sorter: int64, like sequence, or undefined;
/// result: (rows, m), int64. All row-major, both of one dtype.
using SearchKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& sequence,
                                 const Tensor& sorter, const Tensor& values, bool right)>;
extern SearchKernel search_kernel;

/// Where the values would be inserted, int64, with batches and any strides; no graph. The sequence
/// has one dimension, or those of values but for the last one's size.
Tensor raw_search(const Operation& op, const Tensor& sequence, const Tensor& sorter,
                  const Tensor& values, bool right);

}  // namespace notape
