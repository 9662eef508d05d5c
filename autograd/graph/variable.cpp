// The half of Tensor that knows the graph, and makes it the paper's Variable: flags, history,
// .grad, aliases. Hooks are in tensor_hooks.cpp, backward() in functional/backward.cpp.
#include "autograd/forward/drop_tangents.h"
#include "autograd/forward/tangent.h"
#include "autograd/graph/accumulate_grad.h"
#include "autograd/graph/history.h"
#include "autograd/graph/in_place.h"
#include "autograd/graph/record.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/tensor_extra.h"
#include "autograd/warning.h"

namespace notape {

void Tensor::note_raw_write(const char* name, const At& at) const {
  const Operation op(name, at);
  const NoGradGuard unrecorded;  // as any write that the graph is not told of
  const WritePlan plan = check_write(op, *this, {});
  before_write(*this);
  commit_write(op, *this, plan, nullptr, -1);
  impl_->storage()->mark_foreign();
}

/// Inside user functions. In a forward, which records nothing, an alias of what needs a gradient
/// has lost it; in a backward that is recorded, detach() says that it is meant to.
void Tensor::note_detached(const Tensor& alias) const { detail::note_detached(alias, *this); }

bool Tensor::requires_grad() const {
  checked();
  return says_requires_grad(*this);
}

const Tensor& Tensor::requires_grad_(bool wanted) const {
  TensorImpl& impl = checked();
  if (current_history(impl)) {
    if (wanted) return *this;
    throw RequiresGradError(
        "you can only change requires_grad flags of leaf variables. If you want to use a computed "
        "variable in a subgraph that doesn't require differentiation use var_no_grad = "
        "var.detach().");
  }
  if (wanted && !notape::is_floating_point(impl.dtype()))
    throw RequiresGradError(
        "Only Tensors of floating point and complex dtype can require gradients, got {}",
        name_of(impl.dtype()));
  if (wanted && impl.storage()->is_inference() && !thread_state.inference_mode)
    throw InferenceTensorError(
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  if (wanted && is_volatile())
    throw VolatileConflict("requires_grad cannot be set: the tensor is volatile");
  impl.set(TensorImpl::kRequiresGrad, wanted);
  return *this;
}

bool Tensor::is_volatile() const {
  return checked().has(TensorImpl::kVolatile) || family_base(*impl_).has(TensorImpl::kVolatile);
}

void Tensor::set_volatile(bool wanted) const {
  TensorImpl& impl = checked();
  TensorImpl& base = family_base(impl);
  for (TensorImpl* one : {&impl, &base}) {
    if (const NodeRef& history = current_history(*one))
      throw VolatileConflict("only leaves can be volatile; this tensor was computed by {}",
                             history->name());
  }
  for (TensorImpl* one : {&impl, &base}) {
    if (wanted) one->set(TensorImpl::kRequiresGrad, false);
    one->set(TensorImpl::kVolatile, wanted);
  }
}

NodeRef Tensor::grad_fn() const { return current_history(checked()); }

uint32_t Tensor::output_nr() const { return checked().output_nr(); }

const Tensor& Tensor::grad(At at) const {
  static const Tensor undefined;
  TensorImpl& impl = checked();
  if (impl.history() && !impl.has(TensorImpl::kRetainsGrad) &&
      !(impl.extra() && impl.extra()->grad.defined()))
    warn_once("grad of an interior tensor",
              "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Use "
              ".retain_grad() on the non-leaf Tensor to keep its gradient.",
              at);
  return impl.extra() ? impl.extra()->grad : undefined;
}

Tensor& Tensor::mutable_grad() const { return checked().make_extra().grad; }

void Tensor::set_grad(const Tensor& gradient) const {
  TensorImpl& impl = checked();
  if (gradient.defined()) {
    if (gradient.is_same(*this)) throw GradAssignment("can't assign Variable as its own grad");
    if (gradient.dtype() != dtype() || gradient.device() != device())
      throw GradAssignment("attempting to assign a gradient of {} on {} to a tensor of {} on {}",
                           name_of(gradient.dtype()), notape::to_string(gradient.device()),
                           name_of(dtype()), notape::to_string(device()));
    if (!(gradient.sizes() == sizes()))
      throw GradAssignment("attempting to assign a gradient of size '{}' to a tensor of size '{}'",
                           notape::to_string(gradient.sizes()), notape::to_string(sizes()));
  }
  impl.make_extra().grad = gradient;
}

Tensor Tensor::detach() const {
  TensorImpl& impl = checked();
  Tensor result(
      Ref<TensorImpl>::adopt(new TensorImpl(impl.storage(), impl.geometry(), impl.dtype())));
  result.impl().set(TensorImpl::kDetached, true);
  if (thread_state.watched & TensorImpl::kUnrecorded) [[unlikely]]
    note_detached(result);
  if (is_volatile()) result.impl().set(TensorImpl::kVolatile, true);
  return result;
}

Tensor Tensor::data() const {
  TensorImpl& impl = checked();
  Tensor result(
      Ref<TensorImpl>::adopt(new TensorImpl(impl.storage(), impl.geometry(), impl.dtype())));
  result.impl().set(TensorImpl::kData, true);
  if (thread_state.watched & TensorImpl::kUnrecorded) [[unlikely]]
    note_detached(result);
  return result;
}

const Tensor& Tensor::detach_() const {
  TensorImpl& impl = checked();
  if (impl.has(TensorImpl::kView))
    throw DetachView("Can't detach views in-place. Use detach() instead.");
  if (thread_state.watched & TensorImpl::kUnrecorded) [[unlikely]]
    note_detached(*this);
  const auto families_left = [&] { return impl.extra() ? impl.extra()->family_nr : 0; };
  const uint32_t before = families_left();
  leave_family(impl);
  drop_tangents(impl, families_left() != before ? impl.extra()->base.get() : nullptr);
  replace_history(impl, nullptr);
  impl.set(TensorImpl::kRequiresGrad, false);
  impl.set(TensorImpl::kRetainsGrad, false);
  return *this;
}

void Tensor::set_data(const Tensor& other) const {
  TensorImpl& impl = checked();
  TensorImpl& source = other.checked();
  if (impl.has(TensorImpl::kRequiresGrad) && !notape::is_floating_point(source.dtype()))
    throw SetDataError(
        "data set to a tensor that requires gradients must be floating point or complex dtype");
  // A leaf's next gradients will be of its new type; a node's result has the type that it gave.
  const bool changes = source.device() != impl.device() || impl.dtype() != source.dtype();
  if (const auto& history = current_history(impl); changes && history)
    throw SetDataError(
        "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
        "incompatible tensor type: a result of {} is {} on {}, which cannot become {} on {}",
        history->name(), name_of(impl.dtype()), notape::to_string(impl.device()),
        name_of(source.dtype()), notape::to_string(source.device()));
  // Those find their tangents through this tensor's window of the storage it is about to leave.
  if (thread_state.forward_levels != 0 && impl.storage()->tensors() > 1)
    throw SetDataError(
        "set_data inside a forward-mode level needs a tensor that shares its memory with no other, "
        "but {} objects share it",
        impl.storage()->tensors());
  leave_family(impl);
  if (thread_state.forward_call != 0 && (detail::loses_gradient(other) || needs_gradient(other)))
    impl.set(TensorImpl::kUnrecorded, true);
  const bool fits = same_shape(impl.geometry(), source.geometry()) && !changes;
  impl.set_storage(source.storage(), source.geometry(), source.dtype());
  if (!fits) renew_accumulator(impl);
}

Tensor Tensor::_base() const {
  TensorImpl& impl = checked();
  if (!impl.has(TensorImpl::kView)) throw ValueError("Can't get base of non-view Variable");
  return Tensor(Ref<TensorImpl>::share(&family_base(impl)));
}

}  // namespace notape
