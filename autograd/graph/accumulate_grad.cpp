#include "autograd/graph/accumulate_grad.h"

#include <mutex>

#include "autograd/graph/backward_run.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/support.h"
#include "autograd/graph/unrecorded.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/batch.h"
#include "autograd/tensor/core_operators.h"

namespace notape {

AccumulateGrad::AccumulateGrad(TensorImpl& leaf)
    : Node("AccumulateGrad", "leaf", SourceLocation(), UINT64_MAX), metadata_(leaf), leaf_(&leaf) {
  set_storage(nullptr, 0, &metadata_, 1);
}

Tensor AccumulateGrad::leaf() const {
  const std::lock_guard guard(lock_);
  if (!leaf_ || !leaf_->retain_if_alive()) return {};
  return Tensor(Ref<TensorImpl>::adopt(leaf_));
}

void AccumulateGrad::leaf_died(const TensorImpl* leaf) noexcept {
  const std::lock_guard guard(lock_);
  if (leaf_ == leaf) leaf_ = nullptr;
}

void AccumulateGrad::retire() noexcept {
  const std::lock_guard guard(lock_);
  leaf_ = nullptr;
  retired_ = true;
}

namespace {

[[noreturn, gnu::cold]] void refuse_late_gradient(const Tensor& gradient) {
  throw InvalidGradient(
      "a gradient of size {} arrived for a leaf that was given data of another size, dtype or "
      "device since it was used",
      to_string(gradient.sizes()));
}

/// Throws unless `value` can be added to `grad`, the .grad of `like`.
void check_sum(const Tensor& grad, const Tensor& value, const TensorImpl& like);

}  // namespace

void AccumulateGrad::check(const Tensor& gradient) const {
  if (retired_) refuse_late_gradient(gradient);
  const Tensor target = leaf();
  if (!target.defined()) return;
  TensorExtra& extra = target.impl().make_extra();
  const std::lock_guard guard(extra.lock);
  check_sum(extra.grad, gradient, target.impl());
}

void AccumulateGrad::apply(Tensor* gradients, Tensor*, const Wanted&) {
  if (retired_) refuse_late_gradient(gradients[0]);
  const Tensor target = leaf();
  if (!target.defined()) return;
  TensorExtra& extra = target.impl().make_extra();
  const std::lock_guard guard(extra.lock);
  accumulate_into(extra.grad, std::move(gradients[0]), target.impl());
  if (thread_state.forward_call != 0 &&  // of a backward inside a user's forward
      !extra.grad.impl().has(TensorImpl::kRequiresGrad)) [[unlikely]]
    mark_unrecorded(extra.grad, /*is_of_graph=*/false);
}

bool AccumulateGrad::runs_beside_others() const {
  const Tensor target = leaf();
  if (!target.defined()) return true;
  TensorExtra& extra = target.impl().make_extra();
  const std::lock_guard guard(extra.lock);
  return !extra.grad.defined() || extra.grad.impl().storage()->is_exclusive();
}

namespace {

/// The leaf's accumulator, made unless another thread was faster.
[[gnu::noinline]] Node* first_accumulator(TensorImpl& leaf) {
  TensorExtra& extra = leaf.make_extra();
  Node* existing = nullptr;
  NodeRef fresh = NodeRef::adopt(new AccumulateGrad(leaf));
  if (extra.accumulator.compare_exchange_strong(existing, fresh.get()))
    existing = NodeRef(fresh).leak();  // the leaf owns one reference
  return existing;
}

}  // namespace

NodeRef grad_accumulator(TensorImpl& leaf) {
  const TensorExtra* extra = leaf.extra();
  Node* accumulator = extra ? extra->accumulator.load(std::memory_order_acquire) : nullptr;
  if (!accumulator) [[unlikely]]
    accumulator = first_accumulator(leaf);
  return NodeRef::share(accumulator);
}

void renew_accumulator(TensorImpl& leaf) {
  TensorExtra* extra = leaf.extra();
  const NodeRef old = NodeRef::adopt(extra ? extra->accumulator.exchange(nullptr) : nullptr);
  if (!old) return;
  static_cast<AccumulateGrad&>(*old).retire();
  if (old->hooks()) grad_accumulator(leaf)->make_hooks().take_over(*old->hooks());
}

namespace {

bool is_exclusive(const Tensor& value) {
  return value.impl().use_count() == 1 && value.impl().storage()->is_exclusive() &&
         !value.impl().storage()->is_foreign();
}

/// Whether nobody else can see a value that shows all of a tensor which lives on for it alone: the
/// transpose of a product, for instance.
bool is_only_view(const Tensor& value) {
  TensorImpl& view = value.impl();
  if (!view.has(TensorImpl::kView) || view.use_count() != 1 ||
      view.has(TensorImpl::kRequiresGrad) || thread_state.forward_levels != 0 ||
      view.device().is_batched())
    return false;
  const TensorImpl& base = *view.extra()->base;
  const Storage& storage = *view.storage();
  const std::size_t bytes =
      static_cast<std::size_t>(view.geometry().numel()) * element_size(view.dtype());
  return base.use_count() == 1 && !base.has(TensorImpl::kRequiresGrad) &&
         base.storage() == view.storage() && storage.tensors() == 2 && storage.readers() == 0 &&
         !storage.is_foreign() && storage.bytes() == bytes;
}

/// Gradients of dense leaves have the leaf's strides, all others are row-major.
bool has_gradient_layout(const TensorImpl& gradient, const TensorImpl& like) {
  const Geometry& layout = gradient.geometry();
  if (like.geometry().is_contiguous()) return layout.is_contiguous();
  return like.geometry().is_dense() ? layout.strides() == like.geometry().strides()
                                    : layout.is_contiguous();
}

}  // namespace

namespace {

bool any_batched(const Tensor& a, const Tensor& b) {
  return a.impl().device().is_batched() || b.impl().device().is_batched();
}

void check_levels(const Tensor& value, const TensorImpl& target) {
  if (without(levels_of(value), levels_of(target)).empty()) return;
  throw BatchingNotImplemented(
      "backward: inside vmap this tensor of size {} has one gradient per sample, but it is the "
      "same "
      "for all samples and has one .grad; use grad(), which returns the gradient of each sample",
      to_string(target.geometry().sizes()));
}

/// Where the user called backward().
SourceLocation place_of_run() {
  return thread_state.task ? thread_state.task->at() : SourceLocation::current();
}

[[noreturn, gnu::cold]] void refuse_inference_gradient() {
  throw InferenceTensorError(
      "Inplace update to inference tensor outside InferenceMode is not allowed: backward would add "
      "to a .grad that was made in InferenceMode. You can make a clone to get a normal tensor.");
}

[[noreturn, gnu::cold]] void refuse_gradient(const Tensor& grad, const Tensor& value,
                                             const TensorImpl& like) {
  if (!(grad.sizes() == value.sizes()))
    throw InvalidGradient(
        "AccumulateGrad: a gradient of size {} cannot be added to a .grad of size {} of a tensor "
        "of size {}",
        to_string(value.sizes()), to_string(grad.sizes()), to_string(like.geometry().sizes()));
  throw GradAssignment(
      "AccumulateGrad: a gradient of {} on {} cannot be added to a .grad of {} on {} of a tensor "
      "of size {}. The .grad was put there through mutable_grad(), which unlike set_grad() checks "
      "nothing",
      name_of(value.dtype()), to_string(value.device()), name_of(grad.dtype()),
      to_string(grad.device()), to_string(like.geometry().sizes()));
}

/// The sum is a new tensor.
bool adds_out_of_place(const Tensor& grad, const Tensor& value) {
  return thread_state.grad_mode || thread_state.forward_levels != 0 || any_batched(grad, value) ||
         grad.impl().storage()->is_read_only() || !grad.impl().geometry().is_non_overlapping();
}

void check_sum(const Tensor& grad, const Tensor& value, const TensorImpl& like) {
  if (value.impl().device().is_batched()) [[unlikely]]
    check_levels(value, like);
  if (!grad.defined()) return;
  if (!(grad.sizes() == value.sizes()) || grad.impl().dtype() != like.dtype() ||
      grad.device().of_samples() != like.device().of_samples()) [[unlikely]]
    refuse_gradient(grad, value, like);
  if (grad.impl().storage()->is_inference() && !thread_state.inference_mode &&
      !adds_out_of_place(grad, value)) [[unlikely]]
    refuse_inference_gradient();
}

}  // namespace

void check_accumulation(const Node& leaf, const Tensor& gradient) {
  const auto* accumulator = dynamic_cast<const AccumulateGrad*>(&leaf);
  if (accumulator && gradient.defined()) accumulator->check(gradient);
}

void accumulate_into(Tensor& grad, Tensor value, const TensorImpl& like) {
  check_sum(grad, value, like);
  if (!grad.defined()) {
    if (has_gradient_layout(value.impl(), like) && is_exclusive(value)) {
      if (value.impl().has(TensorImpl::kSupport)) [[unlikely]]
        drop_support(value);
      grad = std::move(value);
      return;
    }
    if (has_gradient_layout(value.impl(), like) && is_only_view(value)) {
      grad = Tensor(Ref<TensorImpl>::adopt(
          new TensorImpl(value.impl().storage(), value.impl().geometry(), value.impl().dtype())));
      return;
    }
    const bool dense = like.geometry().is_dense();
    grad = core_operators->clone(value,
                                 dense ? like.geometry().strides()
                                       : IntArrayRef(contiguous_strides(like.geometry().sizes())));
    return;
  }
  if (adds_out_of_place(grad, value)) {
    grad = core_operators->add(grad, value);
  } else {
    core_operators->add_into(grad, value);
    const TensorImpl& target = grad.impl();
    target.storage()->written(target.geometry(), static_cast<int64_t>(element_size(target.dtype())),
                              "accumulate", place_of_run(), {&target, &target}, false);
  }
}

namespace {

void add_to(Tensor& slot, const Tensor& value) {
  if (!thread_state.grad_mode && thread_state.forward_levels == 0 && is_exclusive(slot) &&
      slot.impl().geometry().is_dense() && !any_batched(slot, value)) {
    // Out of place the sum would be laid out alike, so how long others have kept the slot's buffer
    // cannot be seen in any later bit.
    core_operators->add_into(slot, value);
  } else {
    slot = core_operators->add(slot, value);
  }
}

[[gnu::noinline]] void add_with_support(Tensor& slot, Tensor value) {
  settle_zeros(value);
  Ref<Support> support = joined(take_support(slot), support_of(value));
  add_to(slot, value);
  set_support(slot, std::move(support));
}

}  // namespace

void add_to_gradient(Tensor& slot, const Tensor& value) {
  if ((slot.impl().flags() | value.impl().flags()) & TensorImpl::kSupport) [[unlikely]]
    add_with_support(slot, value);
  else
    add_to(slot, value);
}

}  // namespace notape
