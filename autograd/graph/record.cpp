#include "autograd/graph/record_list.h"

#include <algorithm>

#include "autograd/forward/unknown_tangent.h"
#include "autograd/observer.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape::detail {

namespace {

/// Whether the input has a derivative to drop itself, wherever it lies.
bool is_of_graph(const Tensor& input) {
  if (!input.defined()) return false;
  TensorImpl& impl = input.impl();
  if (impl.has(TensorImpl::kUnrecorded)) return is_floating_point(impl.dtype());
  // A tag may forbid to bring the history up to date, which nobody has asked for here.
  if (impl.has(TensorImpl::kView) && impl.extra()->tag != ViewTag::Plain)
    return impl.has(TensorImpl::kRequiresGrad) || family_base(impl).has(TensorImpl::kRequiresGrad);
  return needs_gradient(input);
}

}  // namespace

bool loses_gradient(const Tensor& input) {
  if (!input.defined()) return false;
  TensorImpl& impl = input.impl();
  if (is_unrecorded(impl, thread_state.forward_call)) return true;
  if (thread_state.forward_levels != 0 && has_hidden_tangent(input)) return true;
  // With recording switched on, only what has no history of its own is lost.
  return is_of_graph(input) && !(thread_state.grad_mode && impl.has(TensorImpl::kRequiresGrad));
}

void note_lost_gradient(const Tensor& output, Operands inputs) {
  if (thread_state.forward_call == 0) return;
  bool loses = false, of_graph = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    if (!loses_gradient(input)) continue;
    loses = true;
    of_graph = of_graph || is_of_graph(input) || has_hidden_tangent(input);
  }
  if (loses) mark_unrecorded(output, of_graph);
}

void note_detached(const Tensor& alias, const Tensor& source) {
  if (thread_state.forward_call == 0)
    alias.impl().set(TensorImpl::kConstant, true);
  else if (is_of_graph(source) || has_hidden_tangent(source))
    mark_unrecorded(alias, /*is_of_graph=*/true);
}

bool keeps_marks(const Tensor& view, const Tensor& source) {
  TensorImpl& impl = source.impl();
  if (impl.has(TensorImpl::kView)) {
    refresh_view_history(impl);
    if (is_cut_view(impl)) return false;
  }
  if (impl.has(TensorImpl::kRequiresGrad)) return false;
  if (impl.has(TensorImpl::kUnrecorded)) view.impl().set(TensorImpl::kUnrecorded, true);
  return true;
}

bool all_keep_marks(const TensorList& views, const TensorList& list) {
  return views[0].is_view() && std::all_of(views.begin(), views.end(), [&](const Tensor& view) {
           return keeps_marks(view, list[0]);
         });
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

bool any_volatile(Operands operands) {
  constexpr uint16_t kPerhaps = TensorImpl::kVolatile | TensorImpl::kView;  // a view's base may be
  return operands.any([](const Tensor& operand) {
    return (flags_of(operand) & kPerhaps) && operand.is_volatile();
  });
}

void tell_operands(Operands operands) noexcept {
  if (!(thread_state.watched & TensorImpl::kObserved)) return;
  Observer* const observer = active_observer.load(std::memory_order_relaxed);
  if (!observer) {  // it has gone
    thread_state.watched &= uint16_t{0xFFFF} ^ TensorImpl::kObserved;
    return;
  }
  constexpr std::size_t kMost = 16;  // of a long list the first ones
  const Tensor* tensors[kMost];
  const std::size_t count = std::min(operands.size(), kMost);
  for (std::size_t i = 0; i < count; ++i) tensors[i] = &operands[i];
  observer->operands(tensors, count);
}

bool composite_records(Operands operands) {
  if (thread_state.watched) [[unlikely]]
    tell_operands(operands);
  return thread_state.grad_mode && !any_volatile(operands);
}

void add_tangent(Tensor& sum, Tensor part) {
  if (!part.defined()) return;
  sum = sum.defined() ? core_operators->add(sum, part) : std::move(part);
}

Tensor fit_tangent(Tensor tangent, const Tensor& output) {
  if (!tangent.defined()) return tangent;
  if (tangent.dtype() != output.dtype())
    tangent = core_operators->convert(tangent, output.dtype(), output.device());
  return tangent.sizes() == output.sizes() ? tangent
                                           : core_operators->expand_to(tangent, output.sizes());
}

}  // namespace notape::detail
