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

void Tensor::retain_grad() const {
  TensorImpl& tensor = checked();
  if (!needs_gradient(*this))
    throw RetainGradError("can't retain_grad on Tensor that has requires_grad=False");
  if (!tensor.history() || tensor.has(TensorImpl::kRetainsGrad)) return;
  tensor.history()->make_hooks().retained.push_back({tensor.output_nr(), &tensor});
  tensor.set(TensorImpl::kRetainsGrad, true);
}

}  // namespace notape
