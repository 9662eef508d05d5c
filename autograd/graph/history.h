// History: where a tensor's gradient goes. A view's history belongs to its family: a write through
// any member rebases the base, and the others learn of it when they are next looked at.
// 2017 paper, 3.1 (future work): histories "lazily rebased", here by region.
#pragma once
#include "autograd/graph/node.h"
#include "autograd/graph/unrecorded.h"
#include "autograd/observer.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {

/// Brings a view's history up to date with recorded writes that overlap it. Throws
/// AmbiguousViewWrite or FunctionViewWrite if its tag forbids that.
void refresh_view_history(TensorImpl& view);

/// The tensor's history, current; null for leaves.
inline const NodeRef& current_history(TensorImpl& tensor) {
  if (tensor.has(TensorImpl::kView)) refresh_view_history(tensor);
  return tensor.history();
}

/// Whether a gradient of the tensor could be wanted. False for undefined tensors.
inline bool needs_gradient(const Tensor& tensor) {
  if (!tensor.defined()) return false;
  TensorImpl& impl = tensor.impl();
  if (impl.has(TensorImpl::kView)) [[unlikely]]
    refresh_view_history(impl);
  return impl.has(TensorImpl::kRequiresGrad) ||
         (thread_state.unrecorded_reads && reads_unrecorded(impl));
}

/// A view that was made in no-grad or inference mode of a tensor that requires grad.
bool is_cut_view(TensorImpl& view);

/// What requires_grad() says, and whether operations are recorded: also for a cut view, as in
/// LibTorch. But no edge leads to one, so to all that is recorded of it it is a constant. False for
/// undefined tensors.
inline bool says_requires_grad(const Tensor& tensor) {
  return needs_gradient(tensor) ||
         (tensor.defined() && tensor.impl().has(TensorImpl::kView) && is_cut_view(tensor.impl()));
}

/// Where the tensor's gradient goes; empty if none is wanted.
Edge gradient_edge(const Tensor& tensor);
/// The same for an operation that is recorded, which must not lose what a user's forward has left
/// out of the tensor's history, see unrecorded.h.
Edge recorded_edge(const Tensor& tensor);

/// A new alias of `base` that belongs to base's family; its history is set by the caller.
Tensor make_view(const Tensor& base, Geometry geometry);

/// Who writes through the tensor, for the log of its storage.
inline Writer writer_of(TensorImpl& tensor) {
  TensorImpl& base = family_base(tensor);
  return {&base, &tensor, base.alias()};
}

/// The tensor is about to lose its history or its storage: the views made so far stay a family of
/// their own, with a stand-in as base and the history as it is.
void leave_family(TensorImpl& tensor);

/// Makes `node` the tensor's history and moves retained gradients over to it.
void replace_history(TensorImpl& tensor, NodeRef node, uint32_t output_nr = 0);

/// The derivative of "take this window of the base": adds the gradient into zeros.
NodeRef make_view_backward(const TensorImpl& base, const TensorImpl& view,
                           const char* operator_name, const SourceLocation& at);

/// The derivative of "write f's result into this window of the base". `overwritten`: which of f's
/// inputs is the old value of the window; -1 if none is.
NodeRef make_rebase(TensorImpl& base, const TensorImpl& view, NodeRef f, int overwritten);

}  // namespace notape
