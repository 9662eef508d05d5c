// Arguments of floating dtype that an operator has no derivative for.
#pragma once
#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// Throws DerivativeNotImplemented if a gradient for `argument`, called `name`, would be wanted,
/// and ForwardNotImplemented if it has a tangent. Undefined tensors pass.
void refuse_gradient(const Operation& op, const Tensor& argument, const char* name);

}  // namespace notape
