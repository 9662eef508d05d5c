// The gradient of a value that was overwritten.
#pragma once
#include "autograd/graph/node.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/factories.h"

namespace notape {

/// Of the running node's first edge: undefined, which stands for zero and stops the run there; or
/// zeros, for hooks and retained gradients of that value, which LibTorch's get, too.
inline Tensor gradient_of_overwritten(const Tensor& grad) {
  const Node* const node = thread_state.running;
  if (!node || node->num_edges() == 0) return {};
  const Node* const before = node->next_edge(0).function.get();
  return before && before->hooks() ? zeros_like(grad) : Tensor();
}

}  // namespace notape
