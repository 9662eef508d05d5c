// One bool of many, for equal and allclose.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

/// Whether all entries of a bool tensor, which is not batched, are true; waits for its device.
bool all_hold(const Tensor& bools);

}  // namespace notape
