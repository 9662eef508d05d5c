// Whether resize_ would succeed.
#pragma once
#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// Throws what resize_ of `tensor`, which is defined, would throw, memory that runs out apart.
void check_resize(const Operation& op, const Tensor& tensor, IntArrayRef size);

}  // namespace notape
