#include "ops/core/refuse_gradient.h"

#include "autograd/forward/tangent.h"
#include "autograd/graph/history.h"

namespace notape {

void refuse_gradient(const Operation& op, const Tensor& argument, const char* name) {
  if (thread_state.grad_mode && says_requires_grad(argument))
    op.fail<DerivativeNotImplemented>(
        "the function '{}' is not differentiable with respect to argument '{}'. This input cannot "
        "have requires_grad True.",
        op.name, name);
  if (thread_state.forward_levels != 0 && !active_levels({&argument}).empty())
    op.fail<ForwardNotImplemented>(
        "Trying to use forward AD with {} that does not support it with respect to argument '{}'",
        op.name, name);
}

}  // namespace notape
