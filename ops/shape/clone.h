#pragma once
#include "ops/at.h"

namespace notape {

/// A differentiable copy with the given strides, which must be those of a dense tensor.
Tensor clone_with_strides(const Tensor& self, IntArrayRef strides, At at = At::current());

/// to(self, device), which may still be under way on return if self is pinned.
Tensor to_without_waiting(const Tensor& self, Device device, At at);

}  // namespace notape
