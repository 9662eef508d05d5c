// Tensor hooks and retained gradients: registered at the node that the tensor is an output of.
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/history.h"
#include "autograd/graph/hooks.h"

namespace notape {

uint32_t Tensor::add_hook(TensorHook hook) const {
  if (!needs_gradient(*this))
    throw HookError("cannot register a hook on a variable that doesn't require gradient");
  const Edge edge = gradient_edge(*this);
  auto& hooks = edge.function->make_hooks().tensor_hooks;
  hooks.push_back({edge.input_nr, std::move(hook)});
  return static_cast<uint32_t>(hooks.size() - 1);
}

void Tensor::remove_hook(uint32_t index) const {
  const Edge edge = needs_gradient(*this) ? gradient_edge(*this) : Edge();
  NodeHooks* hooks = edge ? edge.function->hooks() : nullptr;
  if (!hooks || index >= hooks->tensor_hooks.size())
    throw HookError("Invalid index, no hook at position {}", index);
  hooks->tensor_hooks[index].hook = nullptr;
}

uint32_t Tensor::register_post_accumulate_grad_hook(std::function<void(const Tensor&)> hook) const {
  if (!needs_gradient(*this))
    throw HookError("cannot register a hook on a variable that doesn't require gradient");
  if (!is_leaf())
    throw HookError("post accumulate grad hooks cannot be registered on non-leaf tensors");
  auto& hooks = grad_accumulator(impl())->make_hooks().post_accumulate;
  hooks.push_back(std::move(hook));
  return static_cast<uint32_t>(hooks.size() - 1);
}

void Tensor::remove_post_accumulate_grad_hook(uint32_t index) const {
  const TensorExtra* extra = checked().extra();
  const Node* accumulator = extra ? extra->accumulator.load() : nullptr;
  NodeHooks* hooks = accumulator ? accumulator->hooks() : nullptr;
  if (!hooks || index >= hooks->post_accumulate.size())
    throw HookError("Invalid index, no hook at position {}", index);
  hooks->post_accumulate[index] = nullptr;
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
