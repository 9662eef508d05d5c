#include "autograd/graph/record.h"

#include "autograd/tensor/tensor_extra.h"

namespace notape::detail {

bool loses_gradient(const Tensor& input) {
  if (!input.defined()) return false;
  TensorImpl& impl = input.impl();
  if (impl.has(TensorImpl::kUnrecorded)) return true;
  // A tag may forbid to bring the history up to date, which nobody has asked for here.
  if (impl.has(TensorImpl::kView) && impl.extra()->tag != ViewTag::Plain)
    return impl.has(TensorImpl::kRequiresGrad) || family_base(impl).has(TensorImpl::kRequiresGrad);
  return needs_gradient(input);
}

bool any_volatile(std::initializer_list<const Tensor*> operands) {
  for (const Tensor* operand : operands)
    if (operand->defined() && operand->is_volatile()) return true;
  return false;
}

}  // namespace notape::detail
