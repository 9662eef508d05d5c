// Hooks on several gradients at once (LibTorch's register_multi_grad_hook).
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "autograd/tensor/tensor.h"

namespace notape::autograd {

/// Removes what it stands for; going out of scope does nothing.
class MultiGradHookHandle {
 public:
  struct State;
  explicit MultiGradHookHandle(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void remove();

 private:
  std::shared_ptr<State> state_;
};

/// All: calls `hook` once per backward run, when the last of the gradients of `tensors` that the
/// run will compute has arrived, with one entry per tensor, undefined for those it does not reach.
/// Throws HookError as register_hook does.
MultiGradHookHandle register_multi_grad_hook(const variable_list& tensors,
                                             std::function<void(const variable_list&)> hook);
/// Any: calls `hook` once per run with the first of the gradients to arrive.
MultiGradHookHandle register_any_grad_hook(const variable_list& tensors,
                                           std::function<void(const Tensor&)> hook);

}  // namespace notape::autograd
