// Tensor hooks and retained gradients: registered at the node that the tensor is an output of.
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/history.h"
#include "autograd/graph/hooks.h"

namespace notape {

uint32_t Tensor::add_hook(TensorHook hook) const {
  if (!needs_gradient(*this))
    throw HookError("cannot register a hook on a variable that doesn't require gradient");
  const Edge edge = gradient_edge(*this);
  NodeHooks& hooks = edge.function->make_hooks();
  const std::lock_guard guard(hooks.lock);
  hooks.tensor_hooks.push_back({edge.input_nr, std::move(hook)});
  return static_cast<uint32_t>(hooks.tensor_hooks.size() - 1);
}

void Tensor::remove_hook(uint32_t index) const {
  const Edge edge = needs_gradient(*this) ? gradient_edge(*this) : Edge();
  NodeHooks* hooks = edge ? edge.function->hooks() : nullptr;
  SharedHook<Tensor(const Tensor&)> removed;  // may be the last: destroyed without the lock
  if (!hooks) throw HookError("Invalid index, no hook at position {}", index);
  const std::lock_guard guard(hooks->lock);
  if (index >= hooks->tensor_hooks.size())
    throw HookError("Invalid index, no hook at position {}", index);
  std::swap(removed, hooks->tensor_hooks[index].hook);
}

uint32_t Tensor::register_post_accumulate_grad_hook(std::function<void(const Tensor&)> hook) const {
  if (!needs_gradient(*this))
    throw HookError("cannot register a hook on a variable that doesn't require gradient");
  if (!is_leaf())
    throw HookError("post accumulate grad hooks cannot be registered on non-leaf tensors");
  NodeHooks& hooks = grad_accumulator(impl())->make_hooks();
  const std::lock_guard guard(hooks.lock);
  hooks.post_accumulate.emplace_back(std::move(hook));
  return static_cast<uint32_t>(hooks.post_accumulate.size() - 1);
}

void Tensor::remove_post_accumulate_grad_hook(uint32_t index) const {
  const TensorExtra* extra = checked().extra();
  const Node* accumulator = extra ? extra->accumulator.load() : nullptr;
  NodeHooks* hooks = accumulator ? accumulator->hooks() : nullptr;
  NodeHooks::PostAccumulateHook removed;  // may be the last: destroyed without the lock
  if (!hooks) throw HookError("Invalid index, no hook at position {}", index);
  const std::lock_guard guard(hooks->lock);
  if (index >= hooks->post_accumulate.size())
    throw HookError("Invalid index, no hook at position {}", index);
  std::swap(removed, hooks->post_accumulate[index]);
}

void Tensor::retain_grad() const {
  TensorImpl& tensor = checked();
  if (!needs_gradient(*this))
    throw RetainGradError("can't retain_grad on Tensor that has requires_grad=False");
  if (!tensor.history() || tensor.has(TensorImpl::kRetainsGrad)) return;
  tensor.history()->make_hooks().retained.push_back({tensor.output_nr(), &tensor});
  tensor.set(TensorImpl::kRetainsGrad, true);
}

}  // namespace notape
