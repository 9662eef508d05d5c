#include "autograd/graph/record.h"

#include "autograd/tensor/tensor_extra.h"

namespace notape::detail {

bool loses_gradient(const Tensor& input) {
  if (!input.defined()) return false;
  TensorImpl& impl = input.impl();
  if (is_unrecorded(impl, thread_state.forward_call)) return true;
  // A tag may forbid to bring the history up to date, which nobody has asked for here.
  if (impl.has(TensorImpl::kView) && impl.extra()->tag != ViewTag::Plain)
    return impl.has(TensorImpl::kRequiresGrad) || family_base(impl).has(TensorImpl::kRequiresGrad);
  return needs_gradient(input);
}

void note_forward_write(const Tensor& target, bool keeps_old, bool loses) {
  const TensorImpl& impl = target.impl();
  if (!is_floating_point(impl.dtype())) return;
  const auto item_size = static_cast<int64_t>(element_size(impl.dtype()));
  if (loses)
    impl.storage()->mark_unrecorded(thread_state.forward_call, impl.geometry(), item_size,
                                    keeps_old);
  else if (!keeps_old)
    impl.storage()->clear_unrecorded(impl.geometry(), item_size);
}

bool any_volatile(std::initializer_list<const Tensor*> operands) {
  for (const Tensor* operand : operands)
    if (operand->defined() && operand->is_volatile()) return true;
  return false;
}

}  // namespace notape::detail
