#include "autograd/graph/in_place.h"

#include "autograd/forward/tangent.h"
#include "autograd/graph/first_writes.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/batch.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/covers.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {

bool is_same_window(const TensorImpl& a, const TensorImpl& b) {
  if (&a == &b) return true;
  const Geometry &left = a.geometry(), &right = b.geometry();
  if (a.storage() != b.storage() || a.dtype() != b.dtype() || left.offset() != right.offset() ||
      !same_shape(left, right))
    return false;
  for (int d = 0; d < left.dim(); ++d)
    if (left.size(d) != 1 && left.stride(d) != right.stride(d)) return false;
  return true;
}

namespace {

void check_tag(const Operation& op, TensorImpl& target, bool records) {
  const TensorExtra& extra = *target.extra();
  const bool base_needs = family_base(target).has(TensorImpl::kRequiresGrad);
  if (extra.tag == ViewTag::Plain || !(records || base_needs)) return;
  if (extra.tag == ViewTag::Function)
    op.fail<FunctionViewWrite>(
        "Output {} of {} is a view and is being modified inplace. This view was created inside a "
        "custom Function",
        target.output_nr(), target.history() ? target.history()->name() : "a custom Function");
  const std::string mode = extra.tag == ViewTag::NoGrad ? "no_grad" : "inference";
  op.fail<AmbiguousViewWrite>(
      "A view was created in {} mode and is being modified inplace with grad mode enabled.{}", mode,
      extra.tag_inherited ? " The view is a view of a view which was created in " + mode + " mode."
                          : "");
}

void check_leaf(const Operation& op, TensorImpl& target) {
  const auto is_protected = [](const TensorImpl& tensor) {
    return tensor.has(TensorImpl::kRequiresGrad) && !tensor.history();
  };
  if (is_protected(target))
    op.fail<LeafInPlace>(
        "a leaf Variable that requires grad is being used in an in-place operation.");
  if (!is_protected(family_base(target))) return;
  op.fail<LeafInPlace>(
      "a view of a leaf Variable that requires grad is being used in an in-place operation.");
}

void check_policy(const Operation& op, const TensorImpl& target) {
  const uint32_t sharers = target.storage()->tensors();
  if (thread_state.alias_policy != AliasPolicy::Paper2017 || sharers == 1) return;
  op.fail<AliasedInPlace>(
      "in-place operations can be only used on variables that don't share storage with any other "
      "variables, but detected that there are {} objects sharing it",
      sharers);
}

void check_detached(const Operation& op, TensorImpl& target) {
  if (family_base(target).alias() == Alias::None) return;
  op.fail<AliasedInPlace>(
      "in-place operations on what detach() or .data() returned are refused under "
      "DetachedWrite::Error, because they change the tensor it came from; use clone()");
}

void check_overlap(const Operation& op, const TensorImpl& target, const TensorImpl& operand) {
  if (target.storage() != operand.storage() || is_same_window(target, operand)) return;
  if (overlaps(target.geometry(), static_cast<int64_t>(element_size(target.dtype())),
               operand.geometry(), static_cast<int64_t>(element_size(operand.dtype()))))
    op.fail<MemoryOverlap>(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer "
        "to a single memory location. Please clone() the tensor before performing the operation.");
}

/// Whether an operand besides the target itself has a derivative or a tangent.
bool takes_derivative(const Tensor& target, std::initializer_list<const Tensor*> operands) {
  for (const Tensor* operand : operands) {
    if (!operand->defined() || operand->is_same(target)) continue;
    if (thread_state.grad_mode && says_requires_grad(*operand)) return true;
    if (thread_state.forward_levels != 0 && !active_levels({operand}).empty()) return true;
  }
  return false;
}

/// What is written where the base does not show it would have no derivative and no tangent.
void check_inside_base(const Operation& op, const Tensor& view,
                       std::initializer_list<const Tensor*> operands) {
  const TensorImpl& base = family_base(view.impl());
  if (covers(base.geometry(), view.impl().geometry())) return;
  // Memory that the base has never shown is constant, and stays so.
  if (!(base.extra() && base.extra()->lost_cells) && !takes_derivative(view, operands)) return;
  op.fail<AmbiguousViewWrite>(
      "the written-to view, of size {}, shows memory that its base, of size {}, does not show, or "
      "no longer since it was resized: the base's history cannot hold the write. Please clone() "
      "the view before performing the operation.",
      to_string(view.sizes()), to_string(base.geometry().sizes()));
}

[[noreturn]] void refuse_read_only(const Operation& op, const TensorImpl& target) {
  if (target.device().is_batched())
    op.fail<ReadOnlyWrite>(
        "the written-to tensor refers to read-only memory: it is an input of a function that vmap "
        "calls, which sees a copy. Please clone() the tensor before performing the operation.");
  op.fail<ReadOnlyWrite>("the written-to tensor refers to read-only memory");
}

/// A copy under way still reads pinned memory.
void take_care(const Operation& op, const TensorImpl& target) {
  if (target.storage()->is_read_only()) refuse_read_only(op, target);
  target.storage()->finish_copies();
}

/// One cell cannot take a value per sample.
void check_levels(const Operation& op, const TensorImpl& target, const Tensor& operand) {
  if (without(levels_of(operand), levels_of(target)).empty()) return;
  op.fail<BatchingNotImplemented>(
      "vmap: an in-place operation on a tensor of size {} that is the same for all samples cannot "
      "take an operand that differs between them. Use the out-of-place form.",
      to_string(target.geometry().sizes()));
}

}  // namespace

WritePlan check_write(const Operation& op, const Tensor& target,
                      std::initializer_list<const Tensor*> operands) {
  if (!target.defined()) op.fail<UndefinedTensor>("the written-to tensor is undefined");
  TensorImpl& impl = target.impl();
  if (impl.storage()->needs_care_when_written()) [[unlikely]]
    take_care(op, impl);
  if (impl.storage()->is_inference() && !thread_state.inference_mode)
    op.fail<InferenceTensorError>(
        "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a "
        "clone to get a normal tensor before doing inplace update.");
  if (thread_state.detached_write == DetachedWrite::Error) [[unlikely]]
    check_detached(op, impl);
  const bool grad_mode = thread_state.grad_mode;
  bool any_volatile = false, wanted = false;
  for (const Tensor* operand : operands) {
    if (!operand->defined()) continue;
    if (operand->impl().device().is_batched()) [[unlikely]]
      check_levels(op, impl, *operand);
    any_volatile |= operand->is_volatile();
    wanted |= grad_mode && says_requires_grad(*operand);
  }
  const bool target_volatile = target.is_volatile();
  // Histories are asked for only where they matter: a view whose tag forbids to bring its history
  // up to date may still be written in no-grad mode.
  const bool target_needs =
      grad_mode ? needs_gradient(target) : impl.has(TensorImpl::kRequiresGrad);
  WritePlan plan;
  if (any_volatile && !target_volatile) {
    if (target_needs || family_base(impl).has(TensorImpl::kRequiresGrad))
      op.fail<VolatileConflict>(
          "an operand is volatile, but the written-to tensor has a history or requires grad");
    plan.makes_volatile = true;
  }
  plan.records = grad_mode && !any_volatile && !target_volatile && (wanted || target_needs) &&
                 is_floating_point(impl.dtype());
  if (grad_mode) {
    check_policy(op, impl);
    if (impl.has(TensorImpl::kView)) check_tag(op, impl, plan.records);
    check_leaf(op, impl);
  }
  if (impl.has(TensorImpl::kView) && (plan.records || thread_state.forward_levels != 0))
    check_inside_base(op, target, operands);
  // A base that shows one cell at several places cannot say which of them a write changed.
  if (!impl.geometry().is_non_overlapping() ||
      (plan.records && !family_base(impl).geometry().is_non_overlapping()))
    op.fail<MemoryOverlap>(
        "unsupported operation: more than one element of the written-to tensor refers to a single "
        "memory location. Please clone() the tensor before performing the operation.");
  for (const Tensor* operand : operands)
    if (operand->defined()) check_overlap(op, impl, operand->impl());
  FirstWrites::note(op, impl, plan.records);
  return plan;
}

void check_geometry_change(const Operation& op, const Tensor& target) {
  if (!target.defined()) op.fail<UndefinedTensor>("the tensor is undefined");
  if (!thread_state.grad_mode) return;
  TensorImpl& impl = target.impl();
  if (impl.has(TensorImpl::kView)) check_tag(op, impl, needs_gradient(target));
  check_leaf(op, impl);
}

void commit_write(const Operation& op, const Tensor& target, const WritePlan& plan, NodeRef node,
                  int overwritten) {
  TensorImpl& impl = target.impl();
  TensorImpl& base = family_base(impl);
  impl.storage()->written(impl.geometry(), static_cast<int64_t>(element_size(impl.dtype())),
                          op.name, op.at, {&base, &impl, base.alias()}, static_cast<bool>(node));
  if (plan.makes_volatile) base.set(TensorImpl::kVolatile, true);
  if (!node) return;
  if (&base == &impl)
    replace_history(impl, std::move(node));
  else
    replace_history(base, make_rebase(base, impl, std::move(node), overwritten));
}

Tensor copy_overwritten(const Operation& op, const Tensor& target) {
  if (thread_state.alias_policy == AliasPolicy::Paper2017)
    op.fail<OverwrittenInput>(
        "its derivative needs the value it overwrites; use the out-of-place form");
  count(Count::SelfCopies);
  const Tensor copy = [&] {
    const NoGradGuard no_grad;
    const ForwardLevelLimit no_tangents{0};
    return core_operators->clone(target, contiguous_strides(target.sizes()));
  }();
  // The value's edge is saved beside it; tangents have no other history than their own.
  if (thread_state.forward_levels != 0) [[unlikely]]
    if (const auto tangents = snapshot_of_tangents(target)) set_tangents(copy, *tangents);
  return copy;
}

}  // namespace notape
