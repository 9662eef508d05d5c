#pragma once
#include "ops/at.h"

namespace notape {

/// A differentiable copy with the given strides, which must be those of a dense tensor.
Tensor clone_with_strides(const Tensor& self, IntArrayRef strides, At at = At::current());

}  // namespace notape
