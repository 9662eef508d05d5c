// In-place writes: validate everything, run the kernel, then commit, which cannot fail.
// 2017 paper, 3.1: "Supporting in-place operations".
#pragma once
#include <initializer_list>

#include "autograd/graph/history.h"
#include "autograd/modes/thread_state.h"

namespace notape {

struct WritePlan {
  bool records = false;         // the write becomes part of the target's history
  bool makes_volatile = false;  // a volatile operand reaches a target without history
};

/// Throws, before anything has changed, if `target` must not be written by `op` now:
/// UndefinedTensor, ReadOnlyWrite, InferenceTensorError, AliasedInPlace, AmbiguousViewWrite,
/// FunctionViewWrite, LeafInPlace, VolatileConflict, MemoryOverlap. `operands` are the tensors the
/// operation reads.
WritePlan check_write(const Operation& op, const Tensor& target,
                      std::initializer_list<const Tensor*> operands);

/// The same for an operation that changes the tensor's own geometry and writes no bytes:
/// UndefinedTensor, AmbiguousViewWrite, FunctionViewWrite, LeafInPlace.
void check_geometry_change(const Operation& op, const Tensor& target);

/// The same elements of one storage in the same order, whatever the strides of size-1 dimensions.
bool is_same_window(const TensorImpl& a, const TensorImpl& b);
inline bool is_same_window(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && is_same_window(a.impl(), b.impl());
}

/// To be called right before the kernel: saved values of the region that are to survive the write
/// (AliasPolicy::CowSave) take their copy now. Throws OutOfMemory.
inline void before_write(const Tensor& target) {
  if (thread_state.alias_policy != AliasPolicy::CowSave) [[likely]]
    return;
  const TensorImpl& impl = target.impl();
  impl.storage()->tell_watchers(impl.geometry(), static_cast<int64_t>(element_size(impl.dtype())));
}

/// The write has happened: advances the version, logs the region, and with a node rebases the
/// family's history. `overwritten`: which of the node's inputs is the target's old value, or -1.
void commit_write(const Operation& op, const Tensor& target, const WritePlan& plan, NodeRef node,
                  int overwritten);

/// A copy of the value that an in-place operation is about to overwrite and whose derivative needs
/// it. Throws OverwrittenInput under Paper2017.
Tensor copy_overwritten(const Operation& op, const Tensor& target);

}  // namespace notape
