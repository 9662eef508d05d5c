// Tensor hooks and retained gradients: registered at the node that the tensor is an output of.
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/history.h"
#include "autograd/graph/hooks.h"

namespace notape {

uint32_t add_tensor_hook(const Tensor& tensor, SharedHook<Tensor(const Tensor&)> hook,
                         HookRemoved removed) {
  if (!needs_gradient(tensor))
    throw HookError("cannot register a hook on a variable that doesn't require gradient");
  const Edge edge = gradient_edge(tensor);
  NodeHooks& hooks = edge.function->make_hooks();
  std::vector<HookList<NodeHooks::OfTensor>::Entry> garbage;
  const std::lock_guard guard(hooks.lock);
  return hooks.tensor_hooks.add({edge.input_nr, std::move(hook)}, std::move(removed), garbage);
}

uint32_t Tensor::add_hook(TensorHook hook) const {
  return add_tensor_hook(*this, std::move(hook), nullptr);
}

void Tensor::remove_hook(uint32_t index) const {
  const Edge edge = needs_gradient(*this) ? gradient_edge(*this) : Edge();
  NodeHooks* hooks = edge ? edge.function->hooks() : nullptr;
  NodeHooks::OfTensor removed;  // may be the last: destroyed without the lock
  if (!hooks) throw HookError("Invalid index, no hook at position {}", index);
  const std::lock_guard guard(hooks->lock);
  removed = hooks->tensor_hooks.remove(index);
}

uint32_t Tensor::register_post_accumulate_grad_hook(std::function<void(const Tensor&)> hook) const {
  if (!needs_gradient(*this))
    throw HookError("cannot register a hook on a variable that doesn't require gradient");
  if (!is_leaf())
    throw HookError("post accumulate grad hooks cannot be registered on non-leaf tensors");
  NodeHooks& hooks = grad_accumulator(impl())->make_hooks();
  std::vector<HookList<NodeHooks::PostAccumulateHook>::Entry> garbage;
  const std::lock_guard guard(hooks.lock);
  return hooks.post_accumulate.add(std::move(hook), nullptr, garbage);
}

void Tensor::remove_post_accumulate_grad_hook(uint32_t index) const {
  const TensorExtra* extra = checked().extra();
  const Node* accumulator = extra ? extra->accumulator.load() : nullptr;
  NodeHooks* hooks = accumulator ? accumulator->hooks() : nullptr;
  NodeHooks::PostAccumulateHook removed;  // may be the last: destroyed without the lock
  if (!hooks) throw HookError("Invalid index, no hook at position {}", index);
  const std::lock_guard guard(hooks->lock);
  removed = hooks->post_accumulate.remove(index);
}

void Tensor::retain_grad() const {
  TensorImpl& tensor = checked();
  if (!needs_gradient(*this))
    throw RetainGradError("can't retain_grad on Tensor that has requires_grad=False");
  if (!tensor.history() || tensor.has(TensorImpl::kRetainsGrad)) return;
  tensor.history()->make_hooks().retained[&tensor] = tensor.output_nr();
  tensor.set(TensorImpl::kRetainsGrad, true);
}

}  // namespace notape
